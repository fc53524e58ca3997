/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU units come to life: the first pages of every CPU's unit get memory on its node, the
 * image of the static variables and the head.
 *
 * Needs pages_init() and topology_settle() (nr_cpus is fixed); ends with arch_cpu_bind_boot(0) and
 * percpu_area_init(): per-CPU variables and areas work afterwards.
 */
#ifndef CORE_PERCPU_BOOT_H
#define CORE_PERCPU_BOOT_H

#include "core/compiler.h"

/* Panics when memory does not suffice. Context: boot CPU, once. */
void percpu_boot_init(void);

#endif
