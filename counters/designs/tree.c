/* SPDX-License-Identifier: Apache-2.0 */
/* The counter tree as published (facts.md F2), of this boot's shape and batch. */
#include "counters/tree_design.h"

static int tree_design_init_many(void *counters, int64_t amount, unsigned nr)
{
    return tree_init_many(counters, &tree_boot_kind, amount, nr);
}

static void tree_design_destroy_many(void *counters, unsigned nr)
{
    tree_destroy_many(counters, nr);
}

/* The kind is known here: its batch is at a constant address, not behind the counter. */
static always_inline void tree_design_add(void *counter, int64_t amount)
{
    tree_add_batch(counter, amount, tree_boot_kind.shape.batch);
}

static always_inline int64_t tree_design_read(void *counter)
{
    return tree_approximate_sum(counter);
}

static int64_t tree_design_sum(void *counter)
{
    return tree_precise_sum(counter);
}

static void tree_design_set(void *counter, int64_t value)
{
    tree_set(counter, value);
}

static int tree_design_compare(void *counter, int64_t value)
{
    return tree_compare(counter, value);
}

static int tree_design_compare_with(void *counter, void *other)
{
    return tree_compare_with(counter, other);
}

COUNTER_DESIGN("tree", .summary = "bytes under a tree of atomic items, approximate sum at the root",
               .counter_bytes = sizeof(struct tree_counter),
               .counter_align = _Alignof(struct tree_counter), .init_many = tree_design_init_many,
               .destroy_many = tree_design_destroy_many, .add = tree_design_add,
               .read = tree_design_read, .sum = tree_design_sum, .set = tree_design_set,
               .compare = tree_design_compare, .compare_with = tree_design_compare_with,
               TREE_DESIGN_STATEMENTS, .published_as = "tree");
