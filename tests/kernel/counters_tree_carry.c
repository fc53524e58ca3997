/* SPDX-License-Identifier: Apache-2.0 */
/* Carries of counter trees on simulated machines: every item driven to its largest residual, the
 * error bound reached exactly and never exceeded, hysteresis, 64-bit amounts, and carries that run
 * at once. */
#include <arch/percpu.h>

#include "core/random.h"
#include "core/smp.h"
#include "tests/kernel/simulated_tree.h"

#define RUN_MS 60000u

/* At the bound, then one step beyond on every CPU: the carries go all the way up. */
static void check_extreme(struct ktest *t, uint32_t cpus, uint32_t batch, int sign)
{
    struct simulated_tree tree;
    uint64_t bound, largest = 0;

    if (!simulated_tree_make_published(t, &tree, cpus, batch))
        return;
    bound = tree_shape_error_bound(&tree.shape);
    simulated_tree_fill(&tree, sign);
    simulated_tree_check_residuals(t, &tree);
    EXPECT_EQ(t, tree_root(tree.root), 0);
    EXPECT_EQ(t, simulated_tree_sum(&tree), sign * (int64_t)bound);
    for (uint32_t cpu = 0; cpu < cpus; cpu += 1 + cpus / 8) {
        simulated_tree_add(&tree, cpu, sign);
        largest = MAX(largest, simulated_tree_error(&tree));
    }
    EXPECT(t, largest <= bound);
    EXPECT_EQ(t, tree.leaves[0], 0);
    simulated_tree_check_residuals(t, &tree);
    simulated_tree_free(&tree);
}

static void bound_is_reached(struct ktest *t)
{
    static const uint32_t cpus[] = {1, 2, 32, 33, 64, 65, 129, 384};

    for (uint32_t i = 0; i < ARRAY_LEN(cpus); i++) {
        check_extreme(t, cpus[i], TREE_BATCH_DEFAULT, 1);
        check_extreme(t, cpus[i], TREE_BATCH_DEFAULT, -1);
    }
    check_extreme(t, 65, TREE_BATCH_MAX, 1);
    check_extreme(t, 65, TREE_BATCH_MAX, -1);
    check_extreme(t, 65, 1, 1);
}
KTEST(counter_tree, bound_is_reached, KTEST_QUICK);

static void bound_is_reached_at_every_size(struct ktest *t)
{
    for (uint32_t cpus = 1; cpus <= 1024; cpus++) {
        check_extreme(t, cpus, TREE_BATCH_DEFAULT, 1);
        check_extreme(t, cpus, TREE_BATCH_DEFAULT, -1);
    }
    for (uint32_t cpus = 1025; cpus <= TREE_CPUS_MAX; cpus += 4099)
        check_extreme(t, cpus, TREE_BATCH_DEFAULT, 1);
    check_extreme(t, TREE_CPUS_MAX, TREE_BATCH_DEFAULT, -1);
    for (uint32_t batch = 1; batch <= TREE_BATCH_MAX; batch *= 2)
        check_extreme(t, 384, batch, 1);
}
KTEST(counter_tree, bound_is_reached_at_every_size, KTEST_FULL);

/* Sizes that stay, pass one level, pass all; the sign random or of one kind for a while. */
static int64_t random_amount(struct random *r)
{
    static const int64_t sizes[] = {1, 7, 31, 32, 33, 255, 256, 512, 2048, 100000};
    int64_t amount = sizes[random_below(r, ARRAY_LEN(sizes))];

    return random_next(r) & 1 ? amount : -amount;
}

static void check_random(struct ktest *t, uint32_t cpus, uint32_t steps)
{
    struct simulated_tree tree;
    struct random r;
    uint64_t bound, largest = 0;
    int64_t model = 0, wrong = 0;

    if (!simulated_tree_make_published(t, &tree, cpus, TREE_BATCH_DEFAULT))
        return;
    random_seed(&r, t->seed + cpus);
    bound = tree_shape_error_bound(&tree.shape);
    for (uint32_t i = 0; i < steps; i++) {
        int64_t amount = random_amount(&r);

        simulated_tree_add(&tree, random_below(&r, cpus), amount);
        model += amount;
        wrong += simulated_tree_sum(&tree) != model;
        largest = MAX(largest, simulated_tree_error(&tree));
    }
    EXPECT_EQ(t, wrong, 0);
    EXPECT(t, largest <= bound);
    simulated_tree_check_residuals(t, &tree);
    simulated_tree_free(&tree);
}

static void random_updates_match_the_model(struct ktest *t)
{
    static const uint32_t cpus[] = {1, 3, 33, 64, 384};

    for (uint32_t i = 0; i < ARRAY_LEN(cpus); i++)
        check_random(t, cpus[i], t->full ? 20000 : 100);
}
KTEST(counter_tree, random_updates_match_the_model, KTEST_QUICK);

/* I3 of tree_items.h: an item that has just passed its batch on does not pass it back for a step
 * back over the boundary, only for one of the batch's size. */
static void boundaries_have_hysteresis(struct ktest *t)
{
    struct simulated_tree tree;

    if (!simulated_tree_make_published(t, &tree, 128, TREE_BATCH_DEFAULT)) /* 8,16 */
        return;
    simulated_tree_add(&tree, 0, 256);
    EXPECT_EQ(t, tree_root(tree.root), 256);
    for (int i = 0; i < 10; i++) {
        simulated_tree_add(&tree, 1, -32);
        EXPECT_EQ(t, simulated_tree_item(&tree, 0, 0), -32);
        simulated_tree_add(&tree, 2, 32);
        EXPECT_EQ(t, tree_root(tree.root), 256);
    }
    simulated_tree_add(&tree, 3, -255); /* carries 224, keeps 31 */
    EXPECT_EQ(t, simulated_tree_item(&tree, 0, 0), -224);
    EXPECT_EQ(t, tree.leaves[3], -31);
    EXPECT_EQ(t, tree_root(tree.root), 256);
    simulated_tree_add(&tree, 3, -1);
    EXPECT_EQ(t, simulated_tree_item(&tree, 0, 0), 0);
    EXPECT_EQ(t, tree_root(tree.root), 0);
    simulated_tree_free(&tree);
}
KTEST(counter_tree, boundaries_have_hysteresis, KTEST_QUICK);

static void set_forgets_every_item(struct ktest *t)
{
    struct simulated_tree tree;
    int64_t left = 0;

    if (!simulated_tree_make_published(t, &tree, 384, TREE_BATCH_DEFAULT))
        return;
    simulated_tree_fill(&tree, -1);
    tree_items_set(&tree.shape, tree.root, 77);
    for (uint32_t position = 1; position < tree.shape.nr_positions; position++)
        left |= atomic_load_explicit(tree_item(tree.root, position), memory_order_relaxed);
    EXPECT_EQ(t, left, 0);
    EXPECT_EQ(t, tree_items_sum(&tree.shape, tree.root), 77);
    simulated_tree_free(&tree);
}
KTEST(counter_tree, set_forgets_every_item, KTEST_QUICK);

/* The neighbours' lanes are theirs. */
static void lanes_do_not_mix(struct ktest *t)
{
    struct simulated_tree tree;
    int64_t strange = 0;

    if (!simulated_tree_make_published(t, &tree, 384, TREE_BATCH_DEFAULT))
        return;
    simulated_tree_fill(&tree, 1);
    for (uint32_t position = 0; position < tree.shape.nr_positions; position++)
        for (uint32_t lane = 0; lane < TREE_LANES - 1; lane++) /* the tree has the last one */
            strange |= atomic_load_explicit(&tree.lines[position].item[lane], memory_order_relaxed);
    EXPECT_EQ(t, strange, 0);
    simulated_tree_free(&tree);
}
KTEST(counter_tree, lanes_do_not_mix, KTEST_QUICK);

/* Amounts at the ends of 64 bits: the total wraps as a 64-bit word does, residuals keep their
 * bounds. */
static void amounts_of_64_bits(struct ktest *t)
{
    static const int64_t amounts[] = {INT64_MAX, 1,         INT64_MIN, -1,        INT64_MIN,   -31,
                                      INT64_MIN, INT64_MAX, INT64_MAX, 1ll << 40, -(1ll << 31)};
    struct simulated_tree tree;
    uint64_t model = 0;

    if (!simulated_tree_make_published(t, &tree, 384, TREE_BATCH_DEFAULT))
        return;
    for (uint32_t i = 0; i < ARRAY_LEN(amounts); i++) {
        simulated_tree_add(&tree, i * 5 % 16, amounts[i]);
        model += (uint64_t)amounts[i];
        EXPECT_EQ(t, simulated_tree_sum(&tree), (int64_t)model);
        EXPECT(t, simulated_tree_error(&tree) <= tree_shape_error_bound(&tree.shape));
    }
    simulated_tree_check_residuals(t, &tree);
    simulated_tree_free(&tree);
}
KTEST(counter_tree, amounts_of_64_bits, KTEST_QUICK);

/* Each real CPU plays every nr_cpus-th of the simulated ones, all at once. */
struct contest {
    struct simulated_tree tree;
    uint64_t seed;
    uint32_t rounds;
    _Atomic int64_t total;
};

static void contest_play(void *arg)
{
    struct contest *contest = arg;
    uint32_t me = this_cpu_id(), cpus = contest->tree.shape.nr_cpus;
    int64_t total = 0;
    struct random r;

    random_seed(&r, contest->seed + me);
    for (uint32_t i = 0; me < cpus && i < contest->rounds; i++) {
        uint32_t cpu = me + random_below(&r, (cpus - me + nr_cpus - 1) / nr_cpus) * nr_cpus;
        int64_t amount = random_amount(&r);

        simulated_tree_add(&contest->tree, cpu, amount);
        total += amount;
    }
    atomic_fetch_add_explicit(&contest->total, total, memory_order_relaxed);
}

/* I2 of tree_items.h: whatever overlapped, at rest every residual is below its batch. */
static void check_contest(struct ktest *t, const struct tree_arity *arity, uint32_t cpus)
{
    static struct contest contest;
    struct tree_shape shape;
    const char *why;

    EXPECT_EQ(t, tree_shape_make(&shape, cpus, TREE_BATCH_DEFAULT, arity, &why), 0);
    if (!simulated_tree_make(t, &contest.tree, &shape))
        return;
    contest.seed = t->seed;
    contest.rounds = ktest_rounds(t, 200, 200000);
    atomic_store_explicit(&contest.total, 0, memory_order_relaxed);
    ktest_run_all(t, contest_play, &contest, RUN_MS);
    EXPECT_EQ(t, simulated_tree_sum(&contest.tree),
              atomic_load_explicit(&contest.total, memory_order_relaxed));
    EXPECT(t, simulated_tree_error(&contest.tree) <= tree_shape_error_bound(&shape));
    simulated_tree_check_residuals(t, &contest.tree);
    simulated_tree_free(&contest.tree);
}

static void carries_at_once(struct ktest *t)
{
    static const struct tree_arity published = {3, {8, 8, 8}}, narrow = {4, {256, 2, 2, 2}};

    check_contest(t, &published, 384);
    check_contest(t, &narrow, 300); /* nearly all carries meet in one item */
}
KTEST(counter_tree, carries_at_once, KTEST_QUICK);
