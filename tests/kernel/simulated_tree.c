/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of machines of any size over plain memory; see tests/kernel/simulated_tree.h. */
#include "tests/kernel/simulated_tree.h"

#include "core/slab.h"

bool simulated_tree_make(struct ktest *t, struct simulated_tree *tree,
                         const struct tree_shape *shape)
{
    tree->shape = *shape;
    tree->leaves = kzalloc(shape->nr_cpus);
    tree->lines = kzalloc(shape->nr_positions * sizeof(struct tree_line));
    if (!EXPECT(t, tree->leaves && tree->lines)) {
        simulated_tree_free(tree);
        return false;
    }
    tree->root = &tree->lines[0].item[TREE_LANES - 1];
    return true;
}

bool simulated_tree_make_published(struct ktest *t, struct simulated_tree *tree, uint32_t cpus,
                                   uint32_t batch)
{
    struct tree_shape shape;

    tree_shape_published(&shape, cpus, batch);
    return simulated_tree_make(t, tree, &shape);
}

void simulated_tree_free(struct simulated_tree *tree)
{
    kfree(tree->leaves);
    kfree(tree->lines);
}

void simulated_tree_add(struct simulated_tree *tree, uint32_t cpu, int64_t amount)
{
    int64_t carry;

    tree->leaves[cpu] = tree_leaf_split(tree->leaves[cpu], amount, tree->shape.batch, &carry);
    if (carry)
        tree_carry(&tree->shape, tree->root, cpu, carry);
}

int64_t simulated_tree_sum(const struct simulated_tree *tree)
{
    uint64_t sum = (uint64_t)tree_items_sum(&tree->shape, tree->root);

    for (uint32_t cpu = 0; cpu < tree->shape.nr_cpus; cpu++)
        sum += (uint64_t)(int64_t)tree->leaves[cpu];
    return (int64_t)sum;
}

uint64_t simulated_tree_error(const struct simulated_tree *tree)
{
    uint64_t difference = (uint64_t)simulated_tree_sum(tree) - (uint64_t)tree_root(tree->root);

    return (int64_t)difference < 0 ? -difference : difference;
}

int64_t simulated_tree_item(const struct simulated_tree *tree, uint32_t k, uint32_t item)
{
    return atomic_load_explicit(tree_item(tree->root, tree->shape.level[k].first + item),
                                memory_order_relaxed);
}

int64_t tree_batch_below(const struct tree_shape *shape, uint32_t k)
{
    return k ? shape->level[k - 1].batch : (int64_t)shape->batch;
}

void simulated_tree_check_residuals(struct ktest *t, const struct simulated_tree *tree)
{
    const struct tree_shape *shape = &tree->shape;
    uint32_t bad_leaves = 0, bad_items = 0;

    for (uint32_t cpu = 0; cpu < shape->nr_cpus; cpu++)
        bad_leaves += tree->leaves[cpu] >= (int32_t)shape->batch ||
                      tree->leaves[cpu] <= -(int32_t)shape->batch;
    for (uint32_t k = 0; k < shape->nr_levels; k++)
        for (uint32_t i = 0; i < shape->level[k].items; i++) {
            int64_t residual = simulated_tree_item(tree, k, i);

            bad_items += residual >= shape->level[k].batch || residual <= -shape->level[k].batch ||
                         residual % tree_batch_below(shape, k) != 0;
        }
    EXPECT_EQ(t, bad_leaves, 0);
    EXPECT_EQ(t, bad_items, 0);
}

/* Downwards: an amount that is a multiple of the batches below passes through empty items, and
 * stays in the first whose batch it does not reach. Items without CPUs of their own are reached
 * under the number that their first CPU would have. */
void simulated_tree_fill(struct simulated_tree *tree, int sign)
{
    const struct tree_shape *shape = &tree->shape;

    for (uint32_t k = shape->nr_levels; k-- > 0;) {
        int64_t largest = shape->level[k].batch - tree_batch_below(shape, k);

        if (largest)
            for (uint32_t i = 0; i < shape->level[k].items; i++)
                tree_carry(shape, tree->root, i << shape->level[k].cpu_shift, sign * largest);
    }
    for (uint32_t cpu = 0; cpu < shape->nr_cpus; cpu++)
        simulated_tree_add(tree, cpu, sign * (int64_t)(shape->batch - 1));
}
