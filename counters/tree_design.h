/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the designs over the published shape (counters/designs/tree.c, tree_lazy.c) state about
 * themselves. TREE_DESIGN_STATEMENTS lists it for COUNTER_DESIGN().
 */
#ifndef COUNTERS_TREE_DESIGN_H
#define COUNTERS_TREE_DESIGN_H

#include "core/topology.h"
#include "counters/design.h"
#include "counters/tree.h"

/* This boot's shape for this machine's CPUs, the published one for other numbers. */
static void tree_design_shape(struct tree_shape *shape, uint32_t cpus)
{
    if (cpus == tree_boot_kind.shape.nr_cpus)
        *shape = tree_boot_kind.shape;
    else
        tree_shape_published(shape, cpus, tree_boot_kind.shape.batch);
}

static uint64_t tree_design_error_bound(uint32_t cpus)
{
    struct tree_shape shape;

    tree_design_shape(&shape, cpus);
    return tree_shape_error_bound(&shape);
}

static uint64_t tree_design_memory_bytes(uint32_t cpus, unsigned nr)
{
    struct tree_shape shape;

    tree_design_shape(&shape, cpus);
    return tree_memory_bytes(&shape, nr);
}

static uint64_t tree_design_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct tree_shape shape;

    tree_design_shape(&shape, cpus);
    return tree_shape_transient_bound(&shape, largest);
}

static uint64_t tree_design_sum_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct tree_shape shape;

    tree_design_shape(&shape, cpus);
    return tree_shape_sum_transient_bound(&shape, largest);
}

#define TREE_DESIGN_STATEMENTS                                                                     \
    .error_bound = tree_design_error_bound, .memory_bytes = tree_design_memory_bytes,              \
    .transient_bound = tree_design_transient_bound,                                                \
    .sum_transient_bound = tree_design_sum_transient_bound

#endif
