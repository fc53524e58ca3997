/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Totals that updaters announce, so that a reader beside them can tell what a counter may show.
 *
 *   updater                          reader
 *     begun += amount                  low and high from every `done`
 *     (fence)                          (fence)
 *     add to the counter               read the counter
 *     (release) done += amount         (fence)
 *                                      low and high from every `begun`
 *
 * I1. An updater adds with one sign only, so that between two looks its sum moves one way.
 * I2. What the reader saw of an update implies that it sees the update begun; what it saw done is
 *     in what it reads afterwards. Fences: an add is relaxed and may pass a plain store before it.
 * I3. So every total that was current while the reader read, each CPU's part at its own time, lies
 *     within [low, high].
 */
#ifndef BENCH_ANNOUNCED_H
#define BENCH_ANNOUNCED_H

#include <stdatomic.h>

#include "core/compiler.h"

struct announced {
    cacheline_aligned _Atomic int64_t begun;
    _Atomic int64_t done;
};

struct announced_range {
    int64_t low, high;
};

static always_inline void announced_begin(struct announced *mine, int64_t amount)
{
    int64_t begun = atomic_load_explicit(&mine->begun, memory_order_relaxed) + amount;

    atomic_store_explicit(&mine->begun, begun, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

static always_inline void announced_end(struct announced *mine, int64_t amount)
{
    int64_t done = atomic_load_explicit(&mine->done, memory_order_relaxed) + amount;

    atomic_store_explicit(&mine->done, done, memory_order_release);
}

/* Before the read: `range` becomes what was added for certain. */
static inline void announced_before(const struct announced *all, uint32_t nr,
                                    struct announced_range *range)
{
    *range = (struct announced_range){0, 0};
    for (uint32_t i = 0; i < nr; i++) {
        int64_t done = atomic_load_explicit(&all[i].done, memory_order_acquire);

        *(done > 0 ? &range->low : &range->high) += done;
    }
    atomic_thread_fence(memory_order_seq_cst);
}

/* Behind it: and what may have been. */
static inline void announced_after(const struct announced *all, uint32_t nr,
                                   struct announced_range *range)
{
    atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t i = 0; i < nr; i++) {
        int64_t begun = atomic_load_explicit(&all[i].begun, memory_order_relaxed);

        *(begun > 0 ? &range->high : &range->low) += begun;
    }
}

/* How far `value` is from the nearest total that is possible. */
static inline uint64_t announced_distance(const struct announced_range *range, int64_t value)
{
    if (value < range->low)
        return (uint64_t)range->low - (uint64_t)value;
    return value > range->high ? (uint64_t)value - (uint64_t)range->high : 0;
}

#endif
