/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU variables for the rest of the kernel, over arch/percpu.h.
 *
 *   static PERCPU_STATIC struct foo foo_percpu;          a static one (zero at boot, or its value)
 *   this_cpu_ptr(foo_percpu)                             this CPU's copy
 *   per_cpu_ptr(foo_percpu, cpu)                         another's
 *   percpu_at(area, cpu)                                 address of a dynamic area's copy
 *
 * A pointer to this CPU's copy is stable: nothing is preempted or migrated here.
 */
#ifndef CORE_PERCPU_H
#define CORE_PERCPU_H

#include <arch/percpu.h>

#include "core/compiler.h"

static inline void *percpu_at(percpu_area_t area, uint32_t cpu)
{
    return (void *)(percpu_base(cpu) + area);
}

static inline void *percpu_here(percpu_area_t area)
{
    return (void *)(this_cpu_base() + area);
}

#define this_cpu_ptr(variable) ((__typeof__(variable) *)percpu_here(percpu_area_of(variable)))
#define per_cpu_ptr(variable, cpu)                                                                 \
    ((__typeof__(variable) *)percpu_at(percpu_area_of(variable), cpu))

#endif
