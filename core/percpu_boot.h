/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU units come to life: the first pages of every CPU's unit get memory on its node, the
 * image of the static variables and the head.
 *
 * Needs pages_init() and topology_settle() (nr_cpus is fixed); ends with arch_cpu_bind_boot(0).
 * Afterwards percpu_area_init(nr_cpus, percpu_boot_used_bytes()) may run.
 */
#ifndef CORE_PERCPU_BOOT_H
#define CORE_PERCPU_BOOT_H

#include "core/compiler.h"

/* Panics when memory does not suffice: without units there is no kernel. Context: boot CPU, once. */
void percpu_boot_init(void);

/* Head and static variables: the bytes of chunk 0 that the area allocator must leave alone. */
size_t percpu_boot_used_bytes(void);

#endif
