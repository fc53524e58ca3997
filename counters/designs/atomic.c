/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One shared word: always exact, one atomic add on a line that all CPUs share. 8 bytes and nothing
 * else; the 4 counters of an mm lie in one line, as they did before kernels had per-CPU counters.
 *
 * Memory order: relaxed; a reader sees a whole word that was current.
 */
#include <stdatomic.h>

#include "counters/compare.h"
#include "counters/design.h"

typedef _Atomic int64_t atomic_word;

static int atomic_init_all(void *counters, int64_t amount, unsigned nr)
{
    for (unsigned i = 0; i < nr; i++)
        atomic_store_explicit((atomic_word *)counters + i, amount, memory_order_relaxed);
    return 0;
}

static void atomic_destroy_all(void *counters, unsigned nr)
{
    (void)counters;
    (void)nr;
}

static always_inline void atomic_add(void *counter, int64_t amount)
{
    atomic_fetch_add_explicit((atomic_word *)counter, amount, memory_order_relaxed);
}

static always_inline int64_t atomic_sum(void *counter)
{
    return atomic_load_explicit((atomic_word *)counter, memory_order_relaxed);
}

static void atomic_set(void *counter, int64_t value)
{
    atomic_store_explicit((atomic_word *)counter, value, memory_order_relaxed);
}

static int atomic_compare(void *counter, int64_t value)
{
    return counter_order(atomic_sum(counter), value);
}

static uint64_t atomic_error_bound(uint32_t cpus)
{
    (void)cpus;
    return 0;
}

static uint64_t atomic_memory_bytes(uint32_t cpus, unsigned nr)
{
    (void)cpus;
    (void)nr;
    return 0;
}

COUNTER_DESIGN("atomic", .summary = "one shared word, atomic add",
               .counter_bytes = sizeof(atomic_word), .counter_align = _Alignof(atomic_word),
               .init_many = atomic_init_all, .destroy_many = atomic_destroy_all, .add = atomic_add,
               .read = atomic_sum, .sum = atomic_sum, .set = atomic_set, .compare = atomic_compare,
               .error_bound = atomic_error_bound, .memory_bytes = atomic_memory_bytes,
               .sum_is_linearizable = true);
