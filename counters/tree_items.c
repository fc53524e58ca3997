/* SPDX-License-Identifier: Apache-2.0 */
/* Carries and sums over the items of a counter tree; see counters/tree_items.h. */
#include "counters/tree_items.h"

static _Atomic int64_t *item_at(const struct tree_level *level, _Atomic int64_t *root, uint32_t cpu)
{
    return tree_item(root, level->first + (cpu >> level->cpu_shift));
}

/* From the claim at level 1 upwards. Apart, and called last, so that most carries keep nothing in
 * registers that would have to be saved. */
static noinline void carry_on(const struct tree_shape *shape, _Atomic int64_t *root, uint32_t cpu,
                              int64_t before, int64_t after)
{
    for (uint32_t k = 0;;) {
        const struct tree_level *level = &shape->level[k];
        int64_t amount = tree_item_settle(item_at(level, root, cpu), before, after, level->batch);

        if (!amount)
            return;
        if (++k == shape->nr_levels) {
            atomic_fetch_add_explicit(root, amount, memory_order_relaxed);
            return;
        }
        level++;
        if (!tree_item_claims(item_at(level, root, cpu), amount, level->batch, &before, &after))
            return;
    }
}

noinline void tree_carry(const struct tree_shape *shape, _Atomic int64_t *root, uint32_t cpu,
                         int64_t amount)
{
    const struct tree_level *level = shape->level;
    int64_t before, after;

    if (!shape->nr_levels)
        atomic_fetch_add_explicit(root, amount, memory_order_relaxed);
    else if (tree_item_claims(item_at(level, root, cpu), amount, level->batch, &before, &after))
        carry_on(shape, root, cpu, before, after);
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
