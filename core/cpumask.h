/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of CPUs, sized at boot by nr_cpus: no compile-time CPU limit. Words of 64 CPUs.
 * Single-word operations are plain; concurrent changes are the caller's to lock, except
 * cpumask_set_atomic.
 */
#ifndef CORE_CPUMASK_H
#define CORE_CPUMASK_H

#include "core/compiler.h"

struct cpumask {
    uint32_t nr_words;
    uint64_t *words;
};

/* Allocates an empty set for CPUs 0 … nr_cpus-1. -CS_ENOMEM. */
int cpumask_alloc(struct cpumask *mask) must_check;
void cpumask_free(struct cpumask *mask);

static inline bool cpumask_has(const struct cpumask *mask, uint32_t cpu)
{
    return (mask->words[cpu / 64] >> (cpu % 64)) & 1;
}

static inline void cpumask_set(struct cpumask *mask, uint32_t cpu)
{
    mask->words[cpu / 64] |= 1ull << (cpu % 64);
}

static inline void cpumask_clear(struct cpumask *mask, uint32_t cpu)
{
    mask->words[cpu / 64] &= ~(1ull << (cpu % 64));
}

/* The first CPU of the set that is >= cpu, or UINT32_MAX. */
static inline uint32_t cpumask_next(const struct cpumask *mask, uint32_t cpu)
{
    uint32_t w = cpu / 64;
    uint64_t bits;

    if (w >= mask->nr_words)
        return UINT32_MAX;
    bits = mask->words[w] & (~0ull << (cpu % 64));
    while (!bits) {
        if (++w >= mask->nr_words)
            return UINT32_MAX;
        bits = mask->words[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

#define CPUMASK_EACH(mask, cpu)                                                                    \
    uint32_t cpu = cpumask_next(mask, 0);                                                          \
    cpu != UINT32_MAX;                                                                             \
    cpu = cpumask_next(mask, cpu + 1)

uint32_t cpumask_count(const struct cpumask *mask);

#endif
