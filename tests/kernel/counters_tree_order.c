/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds to one item of a counter tree in every order: up to sixteen updaters whose steps (add, then
 * take out what was claimed) are interleaved one by one, by a seeded choice, so that what needs
 * many CPUs at one instant happens on a single one (I2 and I4 of counters/tree_items.h).
 */
#include "core/random.h"
#include "core/selftest.h"
#include "counters/tree_items.h"

#define UPDATERS_MAX 16u
#define BATCH 256

struct crowd {
    _Atomic int64_t item;
    uint32_t updaters;
    bool busy[UPDATERS_MAX]; /* has a step left */
    struct tree_passage passage[UPDATERS_MAX];
    int64_t total;
    uint64_t adds, steps;
};

static void crowd_step(struct crowd *crowd, uint32_t u)
{
    crowd->steps++;
    crowd->busy[u] = tree_item_step(&crowd->item, &crowd->passage[u], BATCH);
}

static void crowd_start_add(struct crowd *crowd, uint32_t u, int64_t amount)
{
    crowd->adds++;
    crowd->total += amount;
    crowd->passage[u].amount = amount;
    crowd_step(crowd, u);
}

/* What has left the item for the level above; each updater's adds in one number. */
static int64_t crowd_passed(const struct crowd *crowd)
{
    uint64_t passed = 0;

    for (uint32_t u = 0; u < crowd->updaters; u++)
        passed += crowd->passage[u].passed;
    return (int64_t)passed;
}

/* All updaters go on with what they have begun; false when nobody had anything left. */
static bool crowd_settle_once(struct crowd *crowd)
{
    bool any = false;

    for (uint32_t u = 0; u < crowd->updaters; u++)
        if (crowd->busy[u]) {
            crowd_step(crowd, u);
            any = true;
        }
    return any;
}

static void crowd_settle(struct ktest *t, struct crowd *crowd)
{
    uint32_t rounds = 0;
    int64_t residual;

    while (crowd_settle_once(crowd) && rounds < 100)
        rounds++;
    EXPECT(t, rounds <= 4);
    residual = atomic_load_explicit(&crowd->item, memory_order_relaxed);
    EXPECT(t, residual < BATCH && residual > -BATCH);
    EXPECT_EQ(t, residual + crowd_passed(crowd), crowd->total);
}

/* All at once from the same state: each one's add, then each one's next step, and so on. */
static void all_reach_the_batch_at_once(struct ktest *t)
{
    static const int64_t amounts[] = {32, -32, 224, 256, -512, 2048};

    for (uint32_t updaters = 1; updaters <= UPDATERS_MAX; updaters++)
        for (uint32_t a = 0; a < ARRAY_LEN(amounts); a++)
            for (int64_t start = -224; start <= 224; start += 32) {
                struct crowd crowd = {.item = start, .updaters = updaters, .total = start};

                for (uint32_t u = 0; u < updaters; u++)
                    crowd_start_add(&crowd, u, amounts[a]);
                crowd_settle(t, &crowd);
                EXPECT(t, crowd.steps <= 3 * crowd.adds);
            }
}
KTEST(counter_tree, all_reach_the_batch_at_once, KTEST_QUICK);

static void check_crowd(struct ktest *t, uint64_t seed, uint32_t adds)
{
    static const int64_t sizes[] = {32, 64, 224, 256, 512};
    struct crowd crowd = {0};
    struct random r;

    random_seed(&r, seed);
    crowd.updaters = 1 + random_below(&r, UPDATERS_MAX);
    while (crowd.adds < adds) {
        uint32_t u = random_below(&r, crowd.updaters);
        int64_t amount = sizes[random_below(&r, ARRAY_LEN(sizes))];

        if (crowd.busy[u])
            crowd_step(&crowd, u);
        else
            crowd_start_add(&crowd, u, random_next(&r) & 1 ? amount : -amount);
    }
    crowd_settle(t, &crowd);
    EXPECT(t, crowd.steps <= 3 * crowd.adds + 3 * crowd.updaters);
}

static void any_order_of_steps(struct ktest *t)
{
    for (uint32_t i = 0; i < (t->full ? 20000 : 100); i++)
        check_crowd(t, t->seed + i, 40);
}
KTEST(counter_tree, any_order_of_steps, KTEST_QUICK);
