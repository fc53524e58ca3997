/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word in ordinary memory that one CPU at a time changes, as safe against an interrupt there as
 * the CPU's own per-CPU words: this_cpu_* of arch/percpu.h reach base + area, and modulo 2^64 every
 * address is the base plus something. Other CPUs may only read, by a relaxed atomic load. Whoever
 * changes which CPU that is orders the hand-over by release and acquire.
 */
#ifndef COUNTERS_LOCAL_WORD_H
#define COUNTERS_LOCAL_WORD_H

#include <arch/percpu.h>

#include "core/compiler.h"

static always_inline percpu_area_t local_word_area(const void *word)
{
    return (percpu_area_t)((uintptr_t)word - this_cpu_base());
}

static always_inline void local_word_add(uint64_t *word, uint64_t amount)
{
    this_cpu_add_u64(local_word_area(word), amount);
}

static inline uint64_t local_word_read(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void local_word_set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

#endif
