/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the designs over counters/fit.h have in common: all but how this boot's kind is made, which
 * the including file does in an init function. FIT_DESIGN_OPS lists it for COUNTER_DESIGN(). For
 * CPU counts other than this machine's, all statements are those of rule "fit".
 */
#ifndef COUNTERS_FIT_DESIGN_H
#define COUNTERS_FIT_DESIGN_H

#include "core/topology.h"
#include "counters/design.h"
#include "counters/fit.h"

static struct fit_kind fit_design_kind;

static int fit_design_init_many(void *counters, int64_t amount, unsigned nr)
{
    return fit_init_many(counters, &fit_design_kind, amount, nr);
}

static void fit_design_destroy_many(void *counters, unsigned nr)
{
    fit_destroy_many(counters, &fit_design_kind, nr);
}

static always_inline void fit_design_add(void *counter, int64_t amount)
{
    fit_add(counter, &fit_design_kind, amount);
}

static always_inline int64_t fit_design_read(void *counter)
{
    return fit_read(counter);
}

static int64_t fit_design_sum(void *counter)
{
    return fit_sum(counter, &fit_design_kind);
}

static void fit_design_set(void *counter, int64_t value)
{
    fit_set(counter, &fit_design_kind, value);
}

static int fit_design_compare(void *counter, int64_t value)
{
    return fit_compare(counter, &fit_design_kind, value);
}

static void fit_design_shape(struct fit_shape *shape, uint32_t cpus)
{
    if (cpus == fit_design_kind.shape.nr_cpus)
        *shape = fit_design_kind.shape;
    else
        fit_shape_make(shape, cpus, FIT_LEAF_BATCH);
}

static uint64_t fit_design_error_bound(uint32_t cpus)
{
    struct fit_shape shape;

    fit_design_shape(&shape, cpus);
    return fit_error_bound(&shape);
}

static uint64_t fit_design_memory_bytes(uint32_t cpus, unsigned nr)
{
    struct fit_shape shape;

    fit_design_shape(&shape, cpus);
    return fit_memory_bytes(&shape, nr, sizeof(int8_t));
}

static uint64_t fit_design_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct fit_shape shape;

    fit_design_shape(&shape, cpus);
    return fit_transient_bound(&shape, largest);
}

static uint64_t fit_design_sum_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct fit_shape shape;

    fit_design_shape(&shape, cpus);
    return fit_sum_transient_bound(&shape, largest);
}

#define FIT_DESIGN_OPS                                                                             \
    .counter_bytes = sizeof(struct fit_counter), .counter_align = sizeof(struct fit_counter),      \
    .init_many = fit_design_init_many, .destroy_many = fit_design_destroy_many,                    \
    .add = fit_design_add, .read = fit_design_read, .sum = fit_design_sum, .set = fit_design_set,  \
    .compare = fit_design_compare, .error_bound = fit_design_error_bound,                          \
    .memory_bytes = fit_design_memory_bytes, .transient_bound = fit_design_transient_bound,        \
    .sum_transient_bound = fit_design_sum_transient_bound, .never_worse_than_flat = true

#endif
