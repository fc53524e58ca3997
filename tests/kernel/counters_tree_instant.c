/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter tree at every instant: updates and a walking sum as machines that a scheduler of the
 * test's own takes step by step, in orders that no real machine would be asked for. The steps are
 * the counters' own (tree_leaf_split, tree_item_step). Checked after each: what
 * tree_shape_transient_bound() and tree_shape_sum_transient_bound() say; and that the orders are
 * hard ones: without the former the bound at rest would not hold, and half of it at least is
 * reached.
 */
#include "core/random.h"
#include "tests/kernel/simulated_tree.h"

#define INSTANT_CPUS_MAX 16u

struct instant_cpu {
    bool runs;      /* an update is in flight */
    uint32_t level; /* whose item it is at; nr_levels: the root */
    struct tree_passage passage;
    int64_t added, low, high; /* by this CPU; least and most since the walk began */
};

struct instant {
    struct simulated_tree tree;
    struct instant_cpu cpu[INSTANT_CPUS_MAX];
    struct random random;
    int64_t total, largest;
    bool both_signs, hold_at_root; /* of the scheduler */
    uint32_t walk;                 /* words read so far: leaves, then positions from the last */
    int64_t walk_sum;
    uint64_t worst, worst_sum; /* distances seen */
};

static void instant_begin(struct instant *w, uint32_t n)
{
    struct instant_cpu *cpu = &w->cpu[n];
    int64_t amount = w->largest > 1 ? 1 + random_below(&w->random, (uint32_t)w->largest) : 1;
    int64_t carry;

    if (w->both_signs && random_next(&w->random) & 1)
        amount = -amount;
    w->tree.leaves[n] = tree_leaf_split(w->tree.leaves[n], amount, w->tree.shape.batch, &carry);
    w->total += amount;
    cpu->added += amount;
    cpu->low = MIN(cpu->low, cpu->added);
    cpu->high = MAX(cpu->high, cpu->added);
    cpu->runs = carry != 0;
    cpu->level = 0;
    cpu->passage = (struct tree_passage){.amount = carry};
}

static void instant_go_on(struct instant *w, uint32_t n)
{
    const struct tree_shape *shape = &w->tree.shape;
    struct instant_cpu *cpu = &w->cpu[n];
    const struct tree_level *level = &shape->level[cpu->level];
    _Atomic int64_t *item;

    if (cpu->level == shape->nr_levels) {
        atomic_fetch_add_explicit(w->tree.root, cpu->passage.amount, memory_order_relaxed);
        cpu->runs = false;
        return;
    }
    item = tree_item(w->tree.root, level->first + (n >> level->cpu_shift));
    if (tree_item_step(item, &cpu->passage, level->batch))
        return;
    cpu->level++;
    cpu->runs = cpu->passage.passed != 0;
    cpu->passage = (struct tree_passage){.amount = (int64_t)cpu->passage.passed};
}

/* Whether the scheduler lets the CPU wait: what has been taken out below is missing at the root for
 * as long as can be. */
static bool instant_holds(struct instant *w, uint32_t n)
{
    return w->hold_at_root && w->cpu[n].runs && w->cpu[n].level == w->tree.shape.nr_levels &&
           random_below(&w->random, 64);
}

static void instant_walk_begin(struct instant *w)
{
    w->walk = 0;
    w->walk_sum = 0;
    for (uint32_t n = 0; n < w->tree.shape.nr_cpus; n++)
        w->cpu[n].low = w->cpu[n].high = w->cpu[n].added;
}

static void instant_walk_end(struct instant *w)
{
    int64_t low = 0, high = 0;
    uint64_t off = 0;

    for (uint32_t n = 0; n < w->tree.shape.nr_cpus; n++) {
        low += w->cpu[n].low;
        high += w->cpu[n].high;
    }
    if (w->walk_sum < low)
        off = (uint64_t)(low - w->walk_sum);
    if (w->walk_sum > high)
        off = (uint64_t)(w->walk_sum - high);
    w->worst_sum = MAX(w->worst_sum, off);
}

static void instant_walk_step(struct instant *w)
{
    const struct tree_shape *shape = &w->tree.shape;

    if (w->walk < shape->nr_cpus) {
        w->walk_sum += w->tree.leaves[w->walk];
    } else {
        uint32_t position = shape->nr_positions - 1 - (w->walk - shape->nr_cpus);

        w->walk_sum +=
            atomic_load_explicit(tree_item(w->tree.root, position), memory_order_relaxed);
    }
    if (++w->walk == shape->nr_cpus + shape->nr_positions) {
        instant_walk_end(w);
        instant_walk_begin(w);
    }
}

static void instant_step(struct instant *w)
{
    uint32_t n = random_below(&w->random, w->tree.shape.nr_cpus);
    int64_t off;

    if (random_below(&w->random, 4) == 0)
        instant_walk_step(w);
    if (instant_holds(w, n))
        return;
    if (w->cpu[n].runs)
        instant_go_on(w, n);
    else
        instant_begin(w, n);
    off = tree_root(w->tree.root) - w->total;
    w->worst = MAX(w->worst, (uint64_t)(off < 0 ? -off : off));
}

static void instant_finish(struct instant *w)
{
    for (uint32_t n = 0; n < w->tree.shape.nr_cpus; n++)
        while (w->cpu[n].runs)
            instant_go_on(w, n);
}

/* Returns how far beyond the bound at rest the root was. */
static int64_t instant_run(struct ktest *t, const struct tree_shape *shape, int64_t largest,
                           bool both_signs, bool hold_at_root)
{
    static struct instant w; /* too large for the stack */
    uint64_t bound = tree_shape_error_bound(shape);

    w = (struct instant){
        .largest = largest, .both_signs = both_signs, .hold_at_root = hold_at_root};
    if (!simulated_tree_make(t, &w.tree, shape))
        return 0;
    random_seed(&w.random, t->seed + (uint64_t)largest * 4 + both_signs * 2 + hold_at_root);
    for (uint32_t i = 0; i < (t->full ? 1000000u : 20000u); i++)
        instant_step(&w);
    EXPECT(t, w.worst <= bound + tree_shape_transient_bound(shape, (uint64_t)largest));
    EXPECT(t, w.worst_sum <= tree_shape_sum_transient_bound(shape, (uint64_t)largest));
    if (hold_at_root && !both_signs)
        /* All CPUs held at once: what is stated is about what happens. */
        EXPECT(t, w.worst_sum > 0 &&
                      2 * w.worst >= tree_shape_transient_bound(shape, (uint64_t)largest));
    instant_finish(&w);
    EXPECT_EQ(t, simulated_tree_sum(&w.tree), w.total);
    EXPECT(t, simulated_tree_error(&w.tree) <= bound);
    simulated_tree_check_residuals(t, &w.tree);
    simulated_tree_free(&w.tree);
    return (int64_t)w.worst - (int64_t)bound;
}

static void check_instants(struct ktest *t, const struct tree_arity *arity, uint32_t cpus,
                           uint32_t batch)
{
    const int64_t sizes[] = {1, batch, 10 * batch + 1};
    struct tree_shape shape;
    const char *why = "";

    if (!EXPECT_EQ(t, tree_shape_make(&shape, cpus, batch, arity, &why), 0))
        return;
    for (uint32_t i = 0; i < ARRAY_LEN(sizes); i++) {
        (void)instant_run(t, &shape, sizes[i], true, false);
        (void)instant_run(t, &shape, sizes[i], true, true);
        EXPECT(t, instant_run(t, &shape, sizes[i], false, true) > 0);
    }
}

static void bounds_hold_at_every_instant(struct ktest *t)
{
    static const struct tree_arity flat = {1, {16}}, two = {2, {4, 4}}, deep = {3, {2, 2, 4}};

    check_instants(t, &flat, 16, 8);
    check_instants(t, &two, 16, 4);
    check_instants(t, &deep, 13, 2);
}
KTEST(counter_tree, bounds_hold_at_every_instant, KTEST_QUICK);
