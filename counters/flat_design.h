/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the designs over the flat counter have in common (counters/flat.h): all but how they are
 * initialised and which batch they add with. FLAT_DESIGN_OPS lists it for COUNTER_DESIGN().
 */
#ifndef COUNTERS_FLAT_DESIGN_H
#define COUNTERS_FLAT_DESIGN_H

#include "counters/design.h"
#include "counters/flat.h"

static inline int flat_design_init_many(void *counters, int64_t amount, unsigned nr)
{
    return flat_init_many(counters, amount, nr);
}

static inline void flat_design_destroy_many(void *counters, unsigned nr)
{
    flat_destroy_many(counters, nr);
}

static always_inline void flat_design_add(void *counter, int64_t amount)
{
    flat_add_batch(counter, amount, flat_batch);
}

static always_inline int64_t flat_design_read(void *counter)
{
    return flat_read(counter);
}

static inline int64_t flat_design_sum(void *counter)
{
    return flat_sum(counter);
}

static inline void flat_design_set(void *counter, int64_t value)
{
    flat_set(counter, value);
}

static inline int flat_design_compare(void *counter, int64_t value)
{
    return flat_compare(counter, value, flat_batch);
}

static inline int flat_design_compare_with(void *counter, void *other)
{
    return flat_compare_with(counter, other, flat_batch);
}

static inline uint64_t flat_design_error_bound(uint32_t cpus)
{
    return flat_error_bound(cpus, flat_batch_for(cpus));
}

static inline uint64_t flat_design_memory_bytes(uint32_t cpus, unsigned nr)
{
    return (uint64_t)cpus * nr * sizeof(int32_t);
}

#define FLAT_DESIGN_OPS                                                                            \
    .counter_bytes = sizeof(struct flat_counter), .counter_align = _Alignof(struct flat_counter),  \
    .read = flat_design_read, .sum = flat_design_sum, .set = flat_design_set,                      \
    .memory_bytes = flat_design_memory_bytes, .cpu_dead = flat_cpu_dead

/* The default batch, max(32, 2 * nr_cpus). */
#define FLAT_DESIGN_DEFAULT_BATCH                                                                  \
    .add = flat_design_add, .compare = flat_design_compare,                                        \
    .compare_with = flat_design_compare_with, .error_bound = flat_design_error_bound

#define FLAT_DESIGN_GROUPED_INIT                                                                   \
    .init_many = flat_design_init_many, .destroy_many = flat_design_destroy_many

#endif
