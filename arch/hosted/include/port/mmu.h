/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's "physical memory" is one arena at a fixed address, and a physical address is the
 * address in the process: the direct map costs nothing, as in a kernel whose offset is a constant,
 * and what the boot path hands over needs no mapping (arch/hosted/memory.c).
 */
#ifndef PORT_MMU_H
#define PORT_MMU_H

#define HOSTED_ARENA_BASE 0x50000000ull

/* The reserved region for the array of struct page; set before kernel_main. */
extern uintptr_t hosted_vmemmap;
#define VMEMMAP_BASE hosted_vmemmap
#define ARCH_EARLY_END UINT64_MAX

static inline void *phys_to_virt(uint64_t phys)
{
    return (void *)(uintptr_t)phys;
}

static inline uint64_t virt_to_phys(const void *va)
{
    return (uintptr_t)va;
}

#endif
