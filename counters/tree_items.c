/* SPDX-License-Identifier: Apache-2.0 */
/* Carries and sums over the items of a counter tree; see counters/tree_items.h. */
#include "counters/tree_items.h"

/* Adds to one item; returns what is passed on. */
static int64_t tree_item_add(_Atomic int64_t *item, int64_t amount, int64_t batch)
{
    struct tree_passage passage = {.amount = amount};

    while (tree_item_step(item, &passage, batch))
        ;
    return (int64_t)passage.passed;
}

noinline void tree_carry(const struct tree_shape *shape, _Atomic int64_t *root, uint32_t cpu,
                         int64_t amount)
{
    for (uint32_t k = 0; k < shape->nr_levels; k++) {
        const struct tree_level *level = &shape->level[k];

        amount = tree_item_add(tree_item(root, level->first + (cpu >> level->cpu_shift)), amount,
                               level->batch);
        if (!amount)
            return;
    }
    atomic_fetch_add_explicit(root, amount, memory_order_relaxed);
}

int64_t tree_items_sum(const struct tree_shape *shape, _Atomic int64_t *root)
{
    uint64_t sum = 0;

    for (uint32_t position = shape->nr_positions; position-- > 0;)
        sum += (uint64_t)atomic_load_explicit(tree_item(root, position), memory_order_relaxed);
    return (int64_t)sum;
}

void tree_items_set(const struct tree_shape *shape, _Atomic int64_t *root, int64_t value)
{
    for (uint32_t position = 1; position < shape->nr_positions; position++)
        atomic_store_explicit(tree_item(root, position), 0, memory_order_relaxed);
    atomic_store_explicit(root, value, memory_order_relaxed);
}
