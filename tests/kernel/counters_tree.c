/* SPDX-License-Identifier: Apache-2.0 */
/* What is the real counter tree's own: shared lines, bytes as leaves, the bound reached by the
 * machine's own CPUs, other batches. Shapes and carries of other machines: counters_tree_*.c. */
#include "core/errno.h"
#include "core/percpu_area.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "counters/tree.h"

#define RUN_MS 60000u

static uint64_t lines_live(const struct tree_kind *kind)
{
    struct slab_stats stats = {0};

    if (kind->lines)
        slab_stats(kind->lines, &stats);
    return stats.objects_live;
}

/* Four counters: one object of lines, one line for each position, one byte each on a CPU. */
static void four_share_their_lines(struct ktest *t)
{
    uint64_t lines_before = lines_live(&tree_boot_kind);
    struct percpu_stats before, now;
    struct tree_counter c[4];

    percpu_area_stats(&before);
    if (!EXPECT_EQ(t, tree_init_many(c, &tree_boot_kind, 0, 4), 0))
        return;
    percpu_area_stats(&now);
    EXPECT_EQ(t, now.areas_live - before.areas_live, 1);
    EXPECT_EQ(t, now.bytes_requested - before.bytes_requested, 4);
    if (tree_boot_kind.lines)
        EXPECT_EQ(t, lines_live(&tree_boot_kind) - lines_before, 1);
    EXPECT_EQ(t, (uintptr_t)c[0].root % CACHE_LINE_BYTES, 0);
    for (unsigned i = 1; i < 4; i++) {
        EXPECT_EQ(t, c[i].area - c[i - 1].area, 1);
        EXPECT_EQ(t, c[i].root - c[0].root, i);
    }
    tree_destroy_many(c, 4);
    EXPECT_EQ(t, lines_live(&tree_boot_kind), lines_before);
}
KTEST(counter_tree, four_share_their_lines, KTEST_QUICK);

/* Lines are allocated first: they go back when the bytes cannot be had. */
static void failures_keep_no_lines(struct ktest *t)
{
    uint64_t lines_before = lines_live(&tree_boot_kind);
    struct tree_counter c[4] = {{.area = 64}};

    for (uint64_t k = 1; k <= 2; k++) {
        fail_injection_set(k);
        EXPECT_EQ(t, tree_init_many(c, &tree_boot_kind, 0, 4), -CS_ENOMEM);
        EXPECT_EQ(t, fail_injection_set(0), k);
        EXPECT_EQ(t, c[0].area, 0);
        EXPECT_EQ(t, lines_live(&tree_boot_kind), lines_before);
    }
}
KTEST(counter_tree, failures_keep_no_lines, KTEST_QUICK);

/* Six counters: the fifth begins lines of its own, behind those of the first four. */
static void more_than_four_have_lines_by_four(struct ktest *t)
{
    const size_t words = tree_boot_kind.shape.nr_positions * TREE_LINE_WORDS;
    struct tree_counter c[6];

    if (!EXPECT_EQ(t, tree_init_many(c, &tree_boot_kind, 5, 6), 0))
        return;
    EXPECT_EQ(t, c[4].root - c[0].root, words);
    EXPECT_EQ(t, c[5].root - c[4].root, 1);
    tree_add(&c[4], 1000000);
    EXPECT_EQ(t, tree_precise_sum(&c[0]), 5);
    EXPECT_EQ(t, tree_precise_sum(&c[4]), 1000005);
    EXPECT_EQ(t, tree_precise_sum(&c[5]), 5);
    tree_destroy_many(c, 6);
}
KTEST(counter_tree, more_than_four_have_lines_by_four, KTEST_QUICK);

struct fill {
    struct tree_counter *counter;
    int64_t sign;
    _Atomic int64_t added;
};

/* The first CPU of an item brings it to its largest residual, the highest item first; amounts that
 * are multiples of the batches below pass through items that only this CPU has used so far. */
static void fill_play(void *arg)
{
    struct fill *fill = arg;
    const struct tree_shape *shape = &fill->counter->kind->shape;
    int64_t added = 0;

    for (uint32_t k = shape->nr_levels + 1; k-- > 0;) {
        int64_t below = k > 1 ? shape->level[k - 2].batch : k ? shape->batch : 1;
        int64_t batch = k ? shape->level[k - 1].batch : shape->batch;
        uint32_t shift = k ? shape->level[k - 1].cpu_shift : 0;

        if (this_cpu_id() & ((1u << shift) - 1))
            continue;
        tree_add(fill->counter, fill->sign * (batch - below));
        added += batch - below;
    }
    atomic_fetch_add_explicit(&fill->added, added, memory_order_relaxed);
}

/* Whether every item has CPUs of its own, so that this machine can reach the whole bound. */
static bool all_items_have_cpus(const struct tree_shape *shape)
{
    const struct tree_level *lowest = &shape->level[0];

    return cpumask_count(&cpus_online) == nr_cpus &&
           (!shape->nr_levels || lowest->items << lowest->cpu_shift == nr_cpus);
}

static void check_real_bound(struct ktest *t, const struct tree_kind *kind, int64_t sign)
{
    uint64_t bound = tree_shape_error_bound(&kind->shape);
    struct tree_counter counter;
    struct fill fill = {.counter = &counter, .sign = sign};
    uint64_t under, over;
    int64_t added;

    if (!EXPECT_EQ(t, tree_init_many(&counter, kind, 0, 1), 0))
        return;
    ktest_run_all(t, fill_play, &fill, RUN_MS);
    added = atomic_load_explicit(&fill.added, memory_order_relaxed);
    tree_accuracy_range(&counter, &under, &over);
    EXPECT(t, under == bound && over == bound);
    EXPECT_EQ(t, tree_approximate_sum(&counter), 0);
    EXPECT_EQ(t, tree_precise_sum(&counter), sign * added);
    EXPECT(t, (uint64_t)added <= bound);
    if (all_items_have_cpus(&kind->shape))
        EXPECT_EQ(t, added, bound);
    EXPECT_EQ(t, tree_compare(&counter, sign * added), 0);
    EXPECT_EQ(t, tree_compare(&counter, sign * added + 1), -1);
    EXPECT_EQ(t, tree_compare(&counter, sign * added - 1), 1);
    tree_destroy_many(&counter, 1);
}

static void bound_is_reached_by_real_cpus(struct ktest *t)
{
    check_real_bound(t, &tree_boot_kind, 1);
    check_real_bound(t, &tree_boot_kind, -1);
}
KTEST(counter_tree, bound_is_reached_by_real_cpus, KTEST_QUICK);

/* A page more than 0 on one CPU's byte, and the root below 0. */
static void users_see_no_negative_sums(struct ktest *t)
{
    struct tree_counter counter;

    if (!EXPECT_EQ(t, tree_init_many(&counter, &tree_boot_kind, -1, 1), 0))
        return;
    tree_add(&counter, 1);
    EXPECT_EQ(t, tree_precise_sum(&counter), 0);
    EXPECT_EQ(t, tree_approximate_sum_positive(&counter), 0);
    tree_set(&counter, -5);
    EXPECT_EQ(t, tree_precise_sum_positive(&counter), 0);
    tree_set(&counter, 1ll << 40);
    EXPECT_EQ(t, tree_approximate_sum_positive(&counter), 1ll << 40);
    EXPECT_EQ(t, tree_precise_sum_positive(&counter), 1ll << 40);
    tree_destroy_many(&counter, 1);
}
KTEST(counter_tree, users_see_no_negative_sums, KTEST_QUICK);

/* A kind of the test's own: the largest batch that the byte holds, under as many levels as fit. */
static void deep_trees_of_real_cpus(struct ktest *t)
{
    struct tree_arity arity = {0};
    struct tree_kind kind = {0};
    struct tree_shape shape;
    const char *why = "";
    uint32_t reach, root = 1;

    for (reach = 1; reach < nr_cpus && arity.nr < TREE_ARITY_MAX - 1; reach *= 2)
        arity.fan_out[arity.nr++] = 2;
    while (reach * root < nr_cpus)
        root *= 2;
    if (root > 1 || !arity.nr)
        arity.fan_out[arity.nr++] = root;
    if (!EXPECT_EQ(t, tree_shape_make(&shape, nr_cpus, TREE_BATCH_MAX, &arity, &why), 0))
        return;
    kind.shape = shape; /* no slab cache: lines are taken by size */
    check_real_bound(t, &kind, 1);
    check_real_bound(t, &kind, -1);
}
KTEST(counter_tree, deep_trees_of_real_cpus, KTEST_QUICK);
