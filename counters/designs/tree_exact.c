/* SPDX-License-Identifier: Apache-2.0 */
/* Ours, "tree-exact": a precise sum that is the total at one instant, beside updates that never
 * wait; and leaves wide enough that private counters rarely carry. Idea, theorem with proof, bound,
 * cost: counters/exact.h. Shape: rule "fit" of counters/fit_shape.h. */
#include "core/init.h"
#include "core/topology.h"
#include "counters/design.h"
#include "counters/exact.h"

static struct exact_kind tree_exact_kind;

static void tree_exact_kind_init(void)
{
    exact_kind_init(&tree_exact_kind, "tree-exact lines");
}
INIT_FN(tree_exact_kind_init, INIT_LATE, 10);

static int tree_exact_init_many(void *counters, int64_t amount, unsigned nr)
{
    return exact_init_many(counters, &tree_exact_kind, amount, nr);
}

static void tree_exact_destroy_many(void *counters, unsigned nr)
{
    exact_destroy_many(counters, &tree_exact_kind, nr);
}

static always_inline void tree_exact_add(void *counter, int64_t amount)
{
    exact_add(counter, &tree_exact_kind, amount);
}

static always_inline int64_t tree_exact_read(void *counter)
{
    return exact_read(counter);
}

static int64_t tree_exact_sum(void *counter)
{
    return exact_sum(counter, &tree_exact_kind);
}

static void tree_exact_set(void *counter, int64_t value)
{
    exact_set(counter, &tree_exact_kind, value);
}

static int tree_exact_compare(void *counter, int64_t value)
{
    return exact_compare(counter, &tree_exact_kind, value);
}

static uint64_t tree_exact_error_bound(uint32_t cpus)
{
    struct fit_shape shape;

    exact_shape_make(&shape, cpus);
    return fit_error_bound(&shape);
}

static uint64_t tree_exact_memory_bytes(uint32_t cpus, unsigned nr)
{
    struct fit_shape shape;

    exact_shape_make(&shape, cpus);
    return fit_memory_bytes(&shape, nr, sizeof(int32_t));
}

/* What is larger than EXACT_LARGE is in the approximation at once. */
static uint64_t tree_exact_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct fit_shape shape;

    exact_shape_make(&shape, cpus);
    return fit_transient_bound(&shape, MIN(largest, (uint64_t)EXACT_LARGE));
}

COUNTER_DESIGN("tree-exact", .summary = "fitted tree, wide leaves, linearizable precise sum",
               .counter_bytes = sizeof(struct exact_counter),
               .counter_align = _Alignof(struct exact_counter), .init_many = tree_exact_init_many,
               .destroy_many = tree_exact_destroy_many, .add = tree_exact_add,
               .read = tree_exact_read, .sum = tree_exact_sum, .set = tree_exact_set,
               .compare = tree_exact_compare, .error_bound = tree_exact_error_bound,
               .memory_bytes = tree_exact_memory_bytes,
               .transient_bound = tree_exact_transient_bound, .sum_is_linearizable = true);
