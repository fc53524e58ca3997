/* SPDX-License-Identifier: Apache-2.0 */
/* Two counters of every design against one another, where the approximations decide, where they
 * just do not, and where they say the opposite; and CPUs that stop and come back. */
#include "core/smp.h"
#include "tests/design_tests/counter_object.h"

#define CPAIRS_RUN_MS 60000u

/* Added on every CPU, one at a time. */
struct cpairs_steps {
    void *counter, *other; /* NULL: none */
    uint64_t count;
    int64_t each; /* the other one gets the opposite */
};

static void cpairs_play(void *arg)
{
    const struct cpairs_steps *steps = arg;

    for (uint64_t i = 0; i < steps->count; i++) {
        this_design.add(steps->counter, steps->each);
        if (steps->other)
            this_design.add(steps->other, -steps->each);
    }
}

/* Every CPU keeps back as much as it can in steps of one; returns what `counter` got. */
static int64_t cpairs_fill(struct ktest *t, void *counter, void *other, int64_t sign)
{
    struct cpairs_steps steps = {counter, other, this_design.error_bound(nr_cpus) / nr_cpus, sign};

    ktest_run_all(t, cpairs_play, &steps, CPAIRS_RUN_MS);
    return sign * (int64_t)steps.count * cpumask_count(&cpus_online);
}

static int cpairs_wrong_at(void *a, void *b)
{
    int64_t sum_a = this_design.sum(a), sum_b = this_design.sum(b);
    int order = (sum_a > sum_b) - (sum_a < sum_b);

    return (counter_compare_with(&this_design, a, b) != order) +
           (counter_compare_with(&this_design, b, a) != -order) +
           (counter_compare_with(&this_design, a, a) != 0);
}

/* The approximations are apart by `distance`, and one beside it; a's CPUs all keep back for one
 * sign, b's for the other: both margins are used up. */
static unsigned cpairs_around(struct ktest *t, struct counter_object *o, int64_t sign,
                              int64_t distance)
{
    void *a = counter_of(o, 0), *b = counter_of(o, 1);
    unsigned wrong = 0;

    for (int64_t beside = -1; beside <= 1; beside++) {
        this_design.set(a, 0);
        this_design.set(b, distance + beside);
        (void)cpairs_fill(t, a, b, sign);
        wrong += (unsigned)cpairs_wrong_at(a, b);
    }
    return wrong;
}

/* Where every part is kept back, the totals of two approximations that are 2 margins apart are the
 * same. The other distances in a full run: each takes all CPUs. */
static void cpairs_compare_at_margins(struct ktest *t)
{
    const int64_t margin = (int64_t)this_design.error_bound(nr_cpus);
    const int64_t distances[] = {2 * margin, margin, 0, 4 * margin};
    struct counter_object o;
    unsigned wrong = 0;

    if (!counter_object_make(t, &o, 0, 2))
        return;
    for (uint32_t i = 0; i < (t->full ? ARRAY_LEN(distances) : 1u); i++)
        for (int64_t sign = -1; sign <= 1; sign += 2) {
            wrong += cpairs_around(t, &o, sign, sign * distances[i]);
            if (t->full)
                wrong += cpairs_around(t, &o, sign, -sign * distances[i]);
        }
    EXPECT_EQ(t, wrong, 0);
    counter_object_free(&o);
}
DESIGN_KTEST(cpairs_compare_at_margins, KTEST_QUICK);

static void cpairs_compare_at_ends(struct ktest *t)
{
    static const int64_t values[] = {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, 0, -1};
    struct counter_object o;
    int wrong = 0;

    if (!counter_object_make(t, &o, 0, 2))
        return;
    for (uint32_t i = 0; i < ARRAY_LEN(values); i++)
        for (uint32_t k = 0; k < ARRAY_LEN(values); k++) {
            this_design.set(counter_of(&o, 0), values[i]);
            this_design.set(counter_of(&o, 1), values[k]);
            wrong += cpairs_wrong_at(counter_of(&o, 0), counter_of(&o, 1));
        }
    EXPECT_EQ(t, wrong, 0);
    counter_object_free(&o);
}
DESIGN_KTEST(cpairs_compare_at_ends, KTEST_QUICK);

/* An approximation that has gone below 0, though the total has not, is shown as 0. */
static void cpairs_shown_is_not_negative(struct ktest *t)
{
    struct counter_object o;

    EXPECT_EQ(t, counter_positive(INT64_MIN), 0);
    EXPECT_EQ(t, counter_positive(-1), 0);
    EXPECT_EQ(t, counter_positive(0), 0);
    EXPECT_EQ(t, counter_positive(INT64_MAX), INT64_MAX);
    if (!counter_object_make(t, &o, 0, 1))
        return;
    this_design.set(counter_of(&o, 0), -(int64_t)this_design.error_bound(nr_cpus));
    (void)cpairs_fill(t, counter_of(&o, 0), NULL, 1);
    EXPECT(t, counter_positive(this_design.read(counter_of(&o, 0))) >= 0);
    EXPECT_EQ(t, counter_positive(this_design.sum(counter_of(&o, 0))),
              MAX(this_design.sum(counter_of(&o, 0)), 0));
    counter_object_free(&o);
}
DESIGN_KTEST(cpairs_shown_is_not_negative, KTEST_QUICK);

/* The other CPUs are parked between runs, which is all that being offline is to a counter; one
 * after the other is declared dead with a full part, the rest go on, and then all come back. */
static void cpairs_cpus_stop_and_come_back(struct ktest *t)
{
    const int64_t online = cpumask_count(&cpus_online);
    struct counter_object o;
    int64_t total = 0;

    if (!counter_object_make(t, &o, 0, 2))
        return;
    for (uint32_t cpu = 0; cpu < MIN(nr_cpus, t->full ? 8u : 2u); cpu++) {
        struct cpairs_steps one = {counter_of(&o, 1), NULL, 3, 7};

        total += cpairs_fill(t, counter_of(&o, 0), NULL, cpu % 2 ? -1 : 1);
        if (this_design.cpu_dead)
            this_design.cpu_dead(cpu);
        EXPECT_EQ(t, this_design.sum(counter_of(&o, 0)), total);
        EXPECT(t, counter_error(counter_of(&o, 0)) <= this_design.error_bound(nr_cpus));
        ktest_run_all(t, cpairs_play, &one, CPAIRS_RUN_MS);
        EXPECT_EQ(t, this_design.sum(counter_of(&o, 1)), (cpu + 1) * 21 * online);
    }
    EXPECT_EQ(t, this_design.sum(counter_of(&o, 0)), total);
    counter_object_free(&o);
}
DESIGN_KTEST(cpairs_cpus_stop_and_come_back, KTEST_QUICK);
