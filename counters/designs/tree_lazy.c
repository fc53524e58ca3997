/* SPDX-License-Identifier: Apache-2.0 */
/* The counter tree with lazy activation, as published (facts.md F2): counters/tree_lazy.h over this
 * boot's shape and batch. What is stated about an active object is the statement of "tree". */
#include "counters/tree_lazy.h"

#include "counters/tree_design.h"

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

COUNTER_DESIGN("tree-lazy", .summary = "tree that begins with its second thread; exact before",
               .counter_bytes = sizeof(struct tree_counter),
               .counter_align = _Alignof(struct tree_counter),
               .init_many = tree_lazy_design_init_many,
               .destroy_many = tree_lazy_design_destroy_many, .activate = tree_lazy_design_activate,
               .add = tree_lazy_design_add, .read = tree_lazy_design_read,
               .sum = tree_lazy_design_sum, .set = tree_lazy_design_set,
               .compare = tree_lazy_design_compare, .compare_with = tree_lazy_design_compare_with,
               TREE_DESIGN_STATEMENTS);
