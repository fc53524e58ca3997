/* SPDX-License-Identifier: Apache-2.0 */
/* The counter tree with lazy activation, as published (facts.md F2): counters/tree_lazy.h over this
 * boot's shape and batch. What is stated about an active object is the statement of "tree". */
#include "counters/tree_lazy.h"

#include "core/topology.h"
#include "counters/design.h"

static int tree_lazy_design_init_many(void *counters, int64_t amount, unsigned nr)
{
    tree_lazy_init_many(counters, &tree_boot_kind, amount, nr);
    return 0;
}

static void tree_lazy_design_destroy_many(void *counters, unsigned nr)
{
    tree_lazy_destroy_many(counters, nr);
}

static int tree_lazy_design_activate(void *counters, unsigned nr)
{
    return tree_lazy_activate(counters, nr);
}

static always_inline void tree_lazy_design_add(void *counter, int64_t amount)
{
    tree_lazy_add_batch(counter, amount, tree_boot_kind.shape.batch);
}

static int64_t tree_lazy_design_read(void *counter)
{
    return tree_lazy_approximate_sum(counter);
}

static int64_t tree_lazy_design_sum(void *counter)
{
    return tree_lazy_precise_sum(counter);
}

static void tree_lazy_design_set(void *counter, int64_t value)
{
    tree_lazy_set(counter, value);
}

static int tree_lazy_design_compare(void *counter, int64_t value)
{
    return tree_lazy_compare(counter, value);
}

static int tree_lazy_design_compare_with(void *counter, void *other)
{
    return tree_lazy_compare_with(counter, other);
}

static void tree_lazy_design_shape(struct tree_shape *shape, uint32_t cpus)
{
    if (cpus == tree_boot_kind.shape.nr_cpus)
        *shape = tree_boot_kind.shape;
    else
        tree_shape_published(shape, cpus, tree_boot_kind.shape.batch);
}

static uint64_t tree_lazy_design_error_bound(uint32_t cpus)
{
    struct tree_shape shape;

    tree_lazy_design_shape(&shape, cpus);
    return tree_shape_error_bound(&shape);
}

static uint64_t tree_lazy_design_memory_bytes(uint32_t cpus, unsigned nr)
{
    struct tree_shape shape;

    tree_lazy_design_shape(&shape, cpus);
    return tree_memory_bytes(&shape, nr);
}

static uint64_t tree_lazy_design_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct tree_shape shape;

    tree_lazy_design_shape(&shape, cpus);
    return tree_shape_transient_bound(&shape, largest);
}

static uint64_t tree_lazy_design_sum_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct tree_shape shape;

    tree_lazy_design_shape(&shape, cpus);
    return tree_shape_sum_transient_bound(&shape, largest);
}

COUNTER_DESIGN("tree-lazy", .summary = "tree that begins with its second thread; exact before",
               .counter_bytes = sizeof(struct tree_counter),
               .counter_align = _Alignof(struct tree_counter),
               .init_many = tree_lazy_design_init_many,
               .destroy_many = tree_lazy_design_destroy_many, .activate = tree_lazy_design_activate,
               .add = tree_lazy_design_add, .read = tree_lazy_design_read,
               .sum = tree_lazy_design_sum, .set = tree_lazy_design_set,
               .compare = tree_lazy_design_compare, .compare_with = tree_lazy_design_compare_with,
               .error_bound = tree_lazy_design_error_bound,
               .memory_bytes = tree_lazy_design_memory_bytes,
               .transient_bound = tree_lazy_design_transient_bound,
               .sum_transient_bound = tree_lazy_design_sum_transient_bound);
