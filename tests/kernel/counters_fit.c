/* SPDX-License-Identifier: Apache-2.0 */
/* Fitted shapes on machines of every size: the promises of counters/fit_shape.h and exact.h, one by
 * one; topologies that exist and ones that do not; every item driven to its largest residual. */
#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "counters/design.h"
#include "counters/exact.h"
#include "counters/flat.h"
#include "counters/tree.h"

#define CPUS_PROMISED 8192u

static uint64_t flat_bound(uint32_t cpus)
{
    return flat_error_bound(cpus, flat_batch_for(cpus));
}

/* --- what is promised, at every number of CPUs --- */

static void promises_hold_at(struct ktest *t, uint32_t cpus)
{
    struct tree_shape published;
    struct fit_shape fit, exact;

    fit_shape_make(&fit, cpus, FIT_LEAF_BATCH);
    exact_shape_make(&exact, cpus);
    tree_shape_published(&published, cpus, TREE_BATCH_DEFAULT);
    EXPECT(t, fit_error_bound(&fit) <= flat_bound(cpus));
    EXPECT(t, fit_error_bound(&fit) <= tree_shape_error_bound(&published));
    EXPECT(t, exact.batch <= EXACT_BATCH_MAX && fit_error_bound(&exact) <= flat_bound(cpus));
    if (cpus >= 16)
        EXPECT(t, 10 * fit_memory_bytes(&fit, 4, 1) <= 9 * 16ull * cpus);
    /* I3 of exact.h: the low bits are enough, whatever is in flight. */
    EXPECT(t, fit_error_bound(&exact) + EXACT_NESTING * fit_transient_bound(&exact, EXACT_LARGE) <
                  (1ull << (EXACT_BATCHES_BITS - 1)) * exact.batch);
}

static void promises_hold_everywhere(struct ktest *t)
{
    for (uint32_t cpus = 1; cpus <= CPUS_PROMISED; cpus += t->full || cpus < 600 ? 1 : 61)
        promises_hold_at(t, cpus);
    promises_hold_at(t, CPUS_PROMISED);
}
KTEST(counter_fit, promises_hold_everywhere, KTEST_QUICK);

/* What designs say of themselves (never_worse_than_flat of counters/design.h), the shape of this
 * machine's own CPU count included. */
static void designs_keep_their_promise(struct ktest *t)
{
    unsigned found = 0;

    for (REGISTRY_EACH(counter_designs, const struct counter_design, p)) {
        uint32_t worse = 0;

        if (!(*p)->never_worse_than_flat)
            continue;
        found++;
        for (uint32_t cpus = 1; cpus <= CPUS_PROMISED; cpus++) {
            worse += (*p)->error_bound(cpus) > flat_bound(cpus);
            worse +=
                cpus >= 16 && 10 * (*p)->memory_bytes(cpus, COUNTERS_PER_MM) > 9 * 16ull * cpus;
        }
        EXPECT_EQ(t, worse, 0);
    }
    EXPECT(t, found >= 2);
}
KTEST(counter_fit, designs_keep_their_promise, KTEST_QUICK);

/* I1, I3: batches divide one another, levels lie without gaps; I2: items have CPUs and nest. */
static uint32_t shape_faults(const struct fit_shape *shape, const struct fit_path *paths)
{
    uint32_t bad = 0, next = shape->nr_positions;
    int64_t below = shape->batch;

    for (uint32_t k = 0; k < shape->nr_levels; k++) {
        const struct fit_level *level = &shape->level[k];
        uint32_t used = 0;

        bad += level->first + level->items != next || level->batch % below;
        next = level->first;
        below = level->batch;
        for (uint32_t item = 0; item < level->items; item++) {
            uint32_t parent = 0;
            bool found = false;

            for (uint32_t cpu = 0; cpu < shape->nr_cpus; cpu++) {
                if (paths[cpu].position[k] != level->first + item)
                    continue;
                bad += found && k + 1 < shape->nr_levels && paths[cpu].position[k + 1] != parent;
                parent = k + 1 < shape->nr_levels ? paths[cpu].position[k + 1] : 0;
                used += !found;
                found = true;
            }
        }
        bad += used != level->items;
    }
    return bad + (next != 1);
}

static void check_fit_shape(struct ktest *t, struct fit_path *paths, uint32_t cpus)
{
    struct fit_shape shape;

    fit_shape_make(&shape, cpus, FIT_LEAF_BATCH);
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        fit_path_make(&shape, cpu, &paths[cpu]);
    EXPECT_EQ(t, shape_faults(&shape, paths), 0);
}

static void shapes_are_consistent(struct ktest *t)
{
    struct fit_path *paths = kzalloc(CPUS_PROMISED * sizeof(*paths));

    if (!EXPECT(t, paths != NULL))
        return;
    for (uint32_t cpus = 1; cpus <= (t->full ? 1100u : 140u); cpus++)
        check_fit_shape(t, paths, cpus);
    if (t->full)
        check_fit_shape(t, paths, 4096);
    kfree(paths);
}
KTEST(counter_fit, shapes_are_consistent, KTEST_QUICK);

static void figures(struct ktest *t)
{
    static const struct {
        uint32_t cpus, positions;
        uint64_t bound;
    } rows[] = {{16, 1, 496},  {32, 1, 992},    {33, 5, 1919},   {39, 5, 2105},
                {65, 9, 3807}, {129, 17, 7583}, {257, 37, 22303}};

    for (uint32_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fit_shape shape;

        fit_shape_make(&shape, rows[i].cpus, FIT_LEAF_BATCH);
        EXPECT_EQ(t, shape.nr_positions, rows[i].positions);
        EXPECT_EQ(t, fit_error_bound(&shape), rows[i].bound);
    }
}
KTEST(counter_fit, figures, KTEST_QUICK);

/* --- topologies --- */

struct machine {
    uint32_t cpus;
    struct fit_place *place;
    struct fit_path *paths;
    uint32_t *order;
    struct fit_shape shape;
};

static bool machine_make(struct ktest *t, struct machine *m, uint32_t cpus)
{
    m->cpus = cpus;
    m->place = kzalloc(cpus * sizeof(*m->place));
    m->paths = kzalloc(cpus * sizeof(*m->paths));
    m->order = kzalloc(cpus * sizeof(*m->order));
    return EXPECT(t, m->place && m->paths && m->order);
}

static void machine_free(struct machine *m)
{
    kfree(m->order);
    kfree(m->paths);
    kfree(m->place);
}

/* Packages of `cores` cores with `threads`; CPUs are numbered first threads first. */
static void machine_lay(struct machine *m, uint32_t packages, uint32_t threads)
{
    uint32_t cores = m->cpus / threads, in_package = cores / packages;

    for (uint32_t i = 0; i < m->cpus; i++) {
        uint32_t core = i % cores;

        m->place[i] = (struct fit_place){core / in_package, core % in_package, i / cores};
    }
}

/* 2 x 96 cores x 2 threads, as simulated: 57 lines, bound 32,896; siblings share all items. */
static void topology_of_384(struct ktest *t)
{
    struct machine m;

    if (machine_make(t, &m, 384)) {
        machine_lay(&m, 2, 2);
        EXPECT(t, fit_topology_make(&m.shape, m.place, m.cpus, m.order, m.paths));
        EXPECT_EQ(t, m.shape.nr_positions, 57);
        EXPECT_EQ(t, fit_error_bound(&m.shape), 32896);
        EXPECT_EQ(t, m.shape.level[0].batch, 256);
        EXPECT_EQ(t, m.shape.level[1].batch, 1536);
        EXPECT_EQ(t, shape_faults(&m.shape, m.paths), 0);
        for (uint32_t i = 0; i < 192; i++) {
            EXPECT_EQ(t, m.paths[i].position[0], m.paths[i + 192].position[0]);
            EXPECT_EQ(t, m.paths[i].position[0], m.paths[i / 4 * 4].position[0]);
            EXPECT_EQ(t, m.paths[i].position[1], m.paths[i / 24 * 24].position[1]);
        }
        EXPECT(t, m.paths[95].position[1] != m.paths[96].position[1]);
    }
    machine_free(&m);
}
KTEST(counter_fit, topology_of_384, KTEST_QUICK);

static void check_promise(struct ktest *t, struct machine *m)
{
    fit_topology_make(&m->shape, m->place, m->cpus, m->order, m->paths);
    EXPECT_EQ(t, shape_faults(&m->shape, m->paths), 0);
    EXPECT(t, fit_error_bound(&m->shape) <= flat_bound(m->cpus));
    if (m->cpus >= 16)
        EXPECT(t, 10 * fit_memory_bytes(&m->shape, 4, 1) <= 9 * 16ull * m->cpus);
}

static void odd_topologies_keep_the_promise(struct ktest *t)
{
    struct random r;

    random_seed(&r, t->seed);
    for (uint32_t i = 0; i < (t->full ? 2000u : 60u); i++) {
        struct machine m;

        if (machine_make(t, &m, 1 + random_below(&r, t->full ? 700 : 200))) {
            uint32_t packages = 1 + random_below(&r, 1 + random_below(&r, m.cpus));

            for (uint32_t cpu = 0; cpu < m.cpus; cpu++)
                m.place[cpu] =
                    (struct fit_place){random_below(&r, packages) * 7,
                                       random_below(&r, 1 + m.cpus / 2), random_below(&r, 4)};
            check_promise(t, &m);
        }
        machine_free(&m);
    }
}
KTEST(counter_fit, odd_topologies_keep_the_promise, KTEST_QUICK);

static void unknown_topology_is_fit(struct ktest *t)
{
    struct fit_shape fit;
    struct machine m;

    if (machine_make(t, &m, 136)) {
        fit_shape_make(&fit, 136, FIT_LEAF_BATCH);
        EXPECT(t, !fit_topology_make(&m.shape, m.place, m.cpus, m.order, m.paths));
        EXPECT_EQ(t, fit_error_bound(&m.shape), fit_error_bound(&fit));
        EXPECT_EQ(t, shape_faults(&m.shape, m.paths), 0);
    }
    machine_free(&m);
}
KTEST(counter_fit, unknown_topology_is_fit, KTEST_QUICK);

/* --- carries on simulated machines --- */

struct simulated {
    struct machine m;
    struct tree_line *lines;
    int8_t *leaves;
    _Atomic int64_t *root;
};

static void simulated_add(struct simulated *s, uint32_t cpu, int64_t amount)
{
    int64_t carry;

    s->leaves[cpu] = tree_leaf_split(s->leaves[cpu], amount, FIT_LEAF_BATCH, &carry);
    if (carry)
        fit_carry(&s->m.shape, s->root, &s->m.paths[cpu], carry);
}

static int64_t simulated_sum(struct simulated *s)
{
    uint64_t sum = (uint64_t)fit_items_sum(&s->m.shape, s->root); /* wraps, as totals do */

    for (uint32_t cpu = 0; cpu < s->m.cpus; cpu++)
        sum += (uint64_t)(int64_t)s->leaves[cpu];
    return (int64_t)sum;
}

static uint64_t simulated_error(struct simulated *s)
{
    int64_t error = (int64_t)((uint64_t)simulated_sum(s) - (uint64_t)tree_root(s->root));

    return (uint64_t)(error < 0 ? -error : error);
}

static bool simulated_make(struct ktest *t, struct simulated *s, uint32_t cpus, bool by_topology)
{
    *s = (struct simulated){0};
    if (!machine_make(t, &s->m, cpus))
        return false;
    if (by_topology)
        machine_lay(&s->m, cpus % 4 ? 1 : 2, cpus % 2 ? 1 : 2);
    fit_topology_make(&s->m.shape, s->m.place, cpus, s->m.order, s->m.paths);
    s->lines = kzalloc(s->m.shape.nr_positions * sizeof(*s->lines));
    s->leaves = kzalloc(cpus);
    if (!EXPECT(t, s->lines && s->leaves))
        return false;
    s->root = &s->lines[0].item[1];
    return true;
}

static void simulated_free(struct simulated *s)
{
    kfree(s->leaves);
    kfree(s->lines);
    machine_free(&s->m);
}

/* The first CPU of each item, the highest items first; then all leaves. */
static void simulated_fill(struct simulated *s, int64_t sign)
{
    const struct fit_shape *shape = &s->m.shape;

    for (uint32_t k = shape->nr_levels; k-- > 0;) {
        int64_t below = k ? shape->level[k - 1].batch : shape->batch;

        for (uint32_t item = 0; item < shape->level[k].items; item++)
            for (uint32_t cpu = 0; cpu < shape->nr_cpus; cpu++)
                if (s->m.paths[cpu].position[k] == shape->level[k].first + item) {
                    simulated_add(s, cpu, sign * (shape->level[k].batch - below));
                    break;
                }
    }
    for (uint32_t cpu = 0; cpu < shape->nr_cpus; cpu++)
        simulated_add(s, cpu, sign * (shape->batch - 1));
}

static void check_extreme(struct ktest *t, uint32_t cpus, bool by_topology, int64_t sign)
{
    struct simulated s;

    if (simulated_make(t, &s, cpus, by_topology)) {
        uint64_t bound = fit_error_bound(&s.m.shape), largest = 0;

        simulated_fill(&s, sign);
        EXPECT_EQ(t, tree_root(s.root), 0);
        EXPECT_EQ(t, simulated_sum(&s), sign * (int64_t)bound);
        for (uint32_t cpu = 0; cpu < cpus; cpu += 1 + cpus / 8) {
            simulated_add(&s, cpu, sign);
            largest = MAX(largest, simulated_error(&s));
        }
        EXPECT(t, largest <= bound);
    }
    simulated_free(&s);
}

static void bound_is_reached_and_kept(struct ktest *t)
{
    for (uint32_t cpus = 1; cpus <= (t->full ? 1024u : 400u); cpus += t->full ? 1 : 21) {
        check_extreme(t, cpus, false, 1);
        check_extreme(t, cpus, true, -1);
    }
    check_extreme(t, 384, true, 1);
}
KTEST(counter_fit, bound_is_reached_and_kept, KTEST_QUICK);

static void check_random(struct ktest *t, uint32_t cpus, uint32_t steps)
{
    static const int64_t sizes[] = {1, 31, 33, 255, 257, 1535, 1537, 100000, INT64_MAX};
    struct simulated s;
    struct random r;

    random_seed(&r, t->seed + cpus);
    if (simulated_make(t, &s, cpus, true)) {
        uint64_t bound = fit_error_bound(&s.m.shape), model = 0;
        uint32_t wrong = 0;

        for (uint32_t i = 0; i < steps; i++) {
            uint64_t amount = (uint64_t)sizes[random_below(&r, ARRAY_LEN(sizes))];

            amount = random_next(&r) & 1 ? amount : 0 - amount;
            simulated_add(&s, random_below(&r, cpus), (int64_t)amount);
            model += amount;
            wrong += simulated_sum(&s) != (int64_t)model || simulated_error(&s) > bound;
        }
        EXPECT_EQ(t, wrong, 0);
    }
    simulated_free(&s);
}

static void random_updates_match_the_model(struct ktest *t)
{
    check_random(t, 5, t->full ? 20000 : 300);
    check_random(t, 40, t->full ? 20000 : 300);
    check_random(t, 384, t->full ? 20000 : 300);
}
KTEST(counter_fit, random_updates_match_the_model, KTEST_QUICK);
