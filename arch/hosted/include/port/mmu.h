/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's "physical memory" is one arena at a fixed address (arch/hosted/memory.c).
 */
#ifndef PORT_MMU_H
#define PORT_MMU_H

#include <port/flat_memory.h>

#define HOSTED_ARENA_BASE 0x50000000ull

/* The reserved region for the array of struct page; set before kernel_main. */
extern uintptr_t hosted_vmemmap;
#define VMEMMAP_BASE hosted_vmemmap

#endif
