/* SPDX-License-Identifier: Apache-2.0 */
/* What is the flat counter's own: the error bound reached, folds of dead CPUs, the list of all
 * counters, one area for a group. The rest is in tests/design_tests/. */
#include "core/errno.h"
#include "core/percpu_area.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "counters/compare.h"
#include "counters/flat.h"

#define RUN_MS 60000u

struct steps {
    struct flat_counter *counter;
    int32_t count, batch;
    int64_t each;
};

static void steps_play(void *arg)
{
    const struct steps *steps = arg;

    for (int32_t i = 0; i < steps->count; i++)
        flat_add_batch(steps->counter, steps->each, steps->batch);
}

static void play_on_all(struct ktest *t, struct flat_counter *counter, int32_t count, int64_t each,
                        int32_t batch)
{
    struct steps steps = {counter, count, batch, each};

    ktest_run_all(t, steps_play, &steps, RUN_MS);
}

/* Every CPU holds batch - 1: nothing of it is in the count; one more step brings all of it. */
static void check_bound(struct ktest *t, int32_t batch, int64_t sign)
{
    int64_t online = cpumask_count(&cpus_online);
    struct flat_counter counter;

    if (!EXPECT_EQ(t, flat_init(&counter, 0), 0))
        return;
    play_on_all(t, &counter, batch - 1, sign, batch);
    EXPECT_EQ(t, flat_read(&counter), 0);
    EXPECT_EQ(t, flat_sum(&counter), sign * online * (batch - 1));
    play_on_all(t, &counter, 1, sign, batch);
    EXPECT_EQ(t, flat_read(&counter), sign * online * batch);
    EXPECT_EQ(t, flat_sum(&counter), sign * online * batch);
    flat_destroy(&counter);
}

static void bound_is_reached(struct ktest *t)
{
    check_bound(t, flat_batch, 1);
    check_bound(t, flat_batch, -1);
    check_bound(t, 1, 1);
    check_bound(t, 32, -1);
}
KTEST(counter_flat, bound_is_reached, KTEST_QUICK);

static void default_batch(struct ktest *t)
{
    EXPECT_EQ(t, flat_batch, MAX(32, 2 * (int64_t)nr_cpus));
    EXPECT_EQ(t, flat_batch_for(1), 32);
    EXPECT_EQ(t, flat_batch_for(16), 32);
    EXPECT_EQ(t, flat_batch_for(17), 34);
}
KTEST(counter_flat, default_batch, KTEST_QUICK);

static unsigned parts_differ_from_0(const struct flat_counter *counters, unsigned nr)
{
    unsigned differ = 0;

    for (unsigned i = 0; i < nr; i++)
        for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
            differ += *(int32_t *)(percpu_base(cpu) + counters[i].area) != 0;
    return differ;
}

/* The other CPUs are parked, so folding for them is what it is when they are gone for good. */
static void dead_cpus_leave_nothing(struct ktest *t)
{
    int64_t online = cpumask_count(&cpus_online);
    struct flat_counter group[3], alone;

    if (!EXPECT_EQ(t, flat_init_many(group, 100, 3), 0))
        return;
    if (EXPECT_EQ(t, flat_init(&alone, 0), 0)) {
        play_on_all(t, &group[1], 3, -7, flat_batch);
        play_on_all(t, &alone, 5, 1, flat_batch);
        for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
            flat_cpu_dead(cpu);
        EXPECT_EQ(t, flat_read(&group[0]), 100);
        EXPECT_EQ(t, flat_read(&group[1]), 100 - 21 * online);
        EXPECT_EQ(t, flat_sum(&group[1]), 100 - 21 * online);
        EXPECT_EQ(t, flat_read(&alone), 5 * online);
        EXPECT_EQ(t, parts_differ_from_0(group, 3) + parts_differ_from_0(&alone, 1), 0);
        flat_destroy(&alone);
    }
    flat_destroy_many(group, 3);
}
KTEST(counter_flat, dead_cpus_leave_nothing, KTEST_QUICK);

/* Groups and single ones leave the list in an order of their own; flat_cpu_dead() finds those that
 * are left. */
static void list_survives_any_order(struct ktest *t)
{
    uint64_t before = flat_counters_live();
    struct flat_counter a[4], b, c[2];

    if (!EXPECT_EQ(t, flat_init_many(a, 0, 4) | flat_init(&b, 0) | flat_init_many(c, 0, 2), 0))
        return;
    EXPECT_EQ(t, flat_counters_live(), before + 7);
    flat_destroy(&b); /* from the middle */
    EXPECT_EQ(t, flat_counters_live(), before + 6);
    flat_add_batch(&a[3], 9, flat_batch);
    flat_add_batch(&c[0], 8, flat_batch);
    flat_cpu_dead(0); /* the boot CPU, which runs this */
    EXPECT_EQ(t, flat_read(&a[3]), 9);
    EXPECT_EQ(t, flat_read(&c[0]), 8);
    flat_destroy_many(c, 2);
    flat_destroy_many(a, 4);
    flat_destroy_many(a, 4);
    EXPECT_EQ(t, flat_counters_live(), before);
}
KTEST(counter_flat, list_survives_any_order, KTEST_QUICK);

static void users_see_no_negative_sums(struct ktest *t)
{
    struct flat_counter counter;

    if (!EXPECT_EQ(t, flat_init(&counter, -1), 0))
        return;
    flat_add_batch(&counter, 1, flat_batch); /* stays in the part */
    EXPECT_EQ(t, flat_read_positive(&counter), 0);
    EXPECT_EQ(t, flat_sum_positive(&counter), 0);
    flat_set(&counter, -5);
    EXPECT_EQ(t, flat_sum_positive(&counter), 0);
    flat_set(&counter, 1ll << 40);
    EXPECT_EQ(t, flat_read_positive(&counter), 1ll << 40);
    EXPECT_EQ(t, flat_sum_positive(&counter), 1ll << 40);
    flat_destroy(&counter);
}
KTEST(counter_flat, users_see_no_negative_sums, KTEST_QUICK);

static void group_is_one_area(struct ktest *t)
{
    struct percpu_stats before, now;
    struct flat_counter counters[4];

    percpu_area_stats(&before);
    if (!EXPECT_EQ(t, flat_init_many(counters, 0, 4), 0))
        return;
    percpu_area_stats(&now);
    EXPECT_EQ(t, now.areas_live - before.areas_live, 1);
    EXPECT_EQ(t, now.bytes_requested - before.bytes_requested, 4 * sizeof(int32_t));
    for (unsigned i = 1; i < 4; i++)
        EXPECT_EQ(t, counters[i].area - counters[i - 1].area, sizeof(int32_t));
    flat_destroy_many(counters, 4);
    for (unsigned i = 0; i < 4; i++)
        EXPECT_EQ(t, counters[i].area, 0);
}
KTEST(counter_flat, group_is_one_area, KTEST_QUICK);

static void failure_leaves_no_area(struct ktest *t)
{
    struct flat_counter counters[2] = {{.area = 64}, {.area = 68}};
    uint64_t before = flat_counters_live();

    fail_injection_set(1);
    EXPECT_EQ(t, flat_init_many(counters, 0, 2), -CS_ENOMEM);
    fail_injection_set(0);
    EXPECT_EQ(t, counters[0].area, 0);
    EXPECT_EQ(t, flat_counters_live(), before);
}
KTEST(counter_flat, failure_leaves_no_area, KTEST_QUICK);

/* Where an approximation decides, and where it must not. */
static void orders_within_a_margin(struct ktest *t)
{
    EXPECT_EQ(t, counter_order_within(100, 90, 10), 0);
    EXPECT_EQ(t, counter_order_within(100, 89, 10), 1);
    EXPECT_EQ(t, counter_order_within(100, 110, 10), 0);
    EXPECT_EQ(t, counter_order_within(100, 111, 10), -1);
    EXPECT_EQ(t, counter_order_within(5, 5, 0), 0);
    EXPECT_EQ(t, counter_order_within(5, 4, 0), 1);
    EXPECT_EQ(t, counter_order_within(INT64_MAX, INT64_MIN, 294528), 1);
    EXPECT_EQ(t, counter_order_within(INT64_MIN, INT64_MAX, 294528), -1);
}
KTEST(counter_flat, orders_within_a_margin, KTEST_QUICK);
