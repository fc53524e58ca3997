/* SPDX-License-Identifier: Apache-2.0 */
/* Ours, "flat-split": flat, batch max(32, 2 x CPUs), with all that updates read on a line that is
 * never written (counters/flat_split.h: idea, invariants, memory). Bound and cost of an add are
 * flat's; after another CPU's fold an add misses no line. */
#include "counters/design.h"
#include "counters/flat_split.h"

static struct flat_counter *flat_split_folds(void *counter)
{
    return ((struct flat_split *)counter)->folds;
}

static int flat_split_design_init_many(void *counters, int64_t amount, unsigned nr)
{
    return flat_split_init_many(counters, amount, nr);
}

static void flat_split_design_destroy_many(void *counters, unsigned nr)
{
    flat_split_destroy_many(counters, nr);
}

static always_inline void flat_split_design_add(void *counter, int64_t amount)
{
    flat_split_add(counter, amount);
}

static always_inline int64_t flat_split_design_read(void *counter)
{
    return flat_read(flat_split_folds(counter));
}

static int64_t flat_split_design_sum(void *counter)
{
    return flat_sum(flat_split_folds(counter));
}

static void flat_split_design_set(void *counter, int64_t value)
{
    flat_set(flat_split_folds(counter), value);
}

static int flat_split_design_compare(void *counter, int64_t value)
{
    return flat_compare(flat_split_folds(counter), value, flat_batch);
}

static int flat_split_design_compare_with(void *counter, void *other)
{
    return flat_compare_with(flat_split_folds(counter), flat_split_folds(other), flat_batch);
}

static uint64_t flat_split_design_error_bound(uint32_t cpus)
{
    return flat_error_bound(cpus, flat_batch_for(cpus));
}

static uint64_t flat_split_design_memory_bytes(uint32_t cpus, unsigned nr)
{
    return (uint64_t)cpus * nr * sizeof(int32_t) + nr * sizeof(struct flat_counter);
}

COUNTER_DESIGN("flat-split", .summary = "flat, what updates read apart from what folds write",
               .counter_bytes = sizeof(struct flat_split), .counter_align = CACHE_LINE_BYTES / 4,
               .init_many = flat_split_design_init_many,
               .destroy_many = flat_split_design_destroy_many, .add = flat_split_design_add,
               .read = flat_split_design_read, .sum = flat_split_design_sum,
               .set = flat_split_design_set, .compare = flat_split_design_compare,
               .compare_with = flat_split_design_compare_with,
               .error_bound = flat_split_design_error_bound,
               .memory_bytes = flat_split_design_memory_bytes, .cpu_dead = flat_cpu_dead);
