/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Birth, failure and end of the counters of every design, under the subject of the design
 * (counters/design.h): nothing is left behind, whatever fails and whatever is repeated.
 */
#include "core/errno.h"
#include "core/percpu_area.h"
#include "tests/design_tests/counter_object.h"

/* The per-CPU areas in use now; the tests compare before and after. */
static struct percpu_stats clife_areas(void)
{
    struct percpu_stats stats;

    percpu_area_stats(&stats);
    return stats;
}

static void clife_expect_same(struct ktest *t, struct percpu_stats before)
{
    struct percpu_stats now = clife_areas();

    EXPECT_EQ(t, now.areas_live, before.areas_live);
    EXPECT_EQ(t, now.bytes_live, before.bytes_live);
    EXPECT_EQ(t, now.bad_frees, before.bad_frees);
}

/* Objects of every size up to beyond two groups of four, each counter on its own. */
static void clife_groups(struct ktest *t)
{
    struct percpu_stats before = clife_areas();

    for (unsigned nr = 1; nr <= 9; nr++) {
        struct counter_object o;
        unsigned wrong = 0;

        if (!counter_object_make(t, &o, 7, nr))
            return;
        for (unsigned c = 0; c < nr; c++)
            this_design.add(counter_of(&o, c), 1000 * (int64_t)c + 1);
        for (unsigned c = 0; c < nr; c++)
            wrong += this_design.sum(counter_of(&o, c)) != 1000 * (int64_t)c + 8;
        EXPECT_EQ(t, wrong, 0);
        counter_object_free(&o);
    }
    clife_expect_same(t, before);
}
DESIGN_KTEST(clife_groups, KTEST_QUICK);

/* Memory that is used again must come back as new. */
static void clife_again_and_again(struct ktest *t)
{
    struct percpu_stats before = clife_areas();
    struct counter_object o;
    unsigned wrong = 0;

    if (!counter_object_alloc(t, &o, COUNTERS_PER_MM))
        return;
    for (int64_t round = 0; round < (t->full ? 10000 : 100); round++) {
        if (!EXPECT_EQ(t, this_design.init_many(o.counters, round, o.nr), 0))
            break;
        for (unsigned c = 0; c < o.nr; c++) {
            wrong += this_design.sum(counter_of(&o, c)) != round;
            this_design.add(counter_of(&o, c), 29 + 300 * (int64_t)c);
            wrong += this_design.sum(counter_of(&o, c)) != round + 29 + 300 * (int64_t)c;
        }
        this_design.destroy_many(o.counters, o.nr);
    }
    EXPECT_EQ(t, wrong, 0);
    kfree(o.counters);
    clife_expect_same(t, before);
}
DESIGN_KTEST(clife_again_and_again, KTEST_QUICK);

static void clife_destroy_is_harmless(struct ktest *t)
{
    struct percpu_stats before = clife_areas();
    struct counter_object o;

    if (!counter_object_alloc(t, &o, COUNTERS_PER_MM))
        return;
    this_design.destroy_many(o.counters, o.nr); /* never initialised */
    EXPECT_EQ(t, this_design.init_many(o.counters, 0, o.nr), 0);
    this_design.destroy_many(o.counters, o.nr);
    this_design.destroy_many(o.counters, o.nr); /* destroyed already */
    clife_expect_same(t, before);
    EXPECT_EQ(t, this_design.init_many(o.counters, 3, o.nr), 0); /* and usable again */
    EXPECT_EQ(t, this_design.sum(counter_of(&o, 0)), 3);
    counter_object_free(&o);
    clife_expect_same(t, before);
}
DESIGN_KTEST(clife_destroy_is_harmless, KTEST_QUICK);

/* The k-th allocation fails, for every k that there is. */
static void clife_failures(struct ktest *t)
{
    struct percpu_stats before = clife_areas();
    struct counter_object o;
    uint64_t counted, k = 0;
    int error;

    if (!counter_object_alloc(t, &o, 9))
        return;
    do {
        fail_injection_set(++k);
        error = this_design.init_many(o.counters, 11, o.nr);
        counted = fail_injection_set(0);
        EXPECT(t, error == 0 || error == -CS_ENOMEM);
        EXPECT_EQ(t, error != 0, counted >= k); /* an allocation that failed is not passed over */
        this_design.destroy_many(o.counters, o.nr);
        clife_expect_same(t, before);
    } while (error == -CS_ENOMEM && k < 100);
    EXPECT_EQ(t, error, 0);
    kfree(o.counters);
}
DESIGN_KTEST(clife_failures, KTEST_QUICK);

/* The statement about memory is what init takes of the per-CPU areas, or more (items). */
static void clife_memory(struct ktest *t)
{
    struct percpu_stats before = clife_areas();
    struct counter_object o;
    uint64_t stated = this_design.memory_bytes(nr_cpus, COUNTERS_PER_MM);

    if (!counter_object_make(t, &o, 0, COUNTERS_PER_MM))
        return;
    EXPECT(t, (clife_areas().bytes_requested - before.bytes_requested) * nr_cpus <= stated);
    counter_object_free(&o);
}
DESIGN_KTEST(clife_memory, KTEST_QUICK);

static void clife_statements(struct ktest *t)
{
    EXPECT(t, this_design.name[0] && this_design.summary[0]);
    EXPECT(t, this_design.counter_bytes % this_design.counter_align == 0);
    /* More CPUs: never a smaller error or less memory. This machine's own number is left out: its
     * shape may be the user's. */
    for (uint32_t cpus = 1; cpus < 1024; cpus++) {
        if (cpus == nr_cpus || cpus + 1 == nr_cpus)
            continue;
        EXPECT(t, this_design.error_bound(cpus) <= this_design.error_bound(cpus + 1));
        EXPECT(t, this_design.memory_bytes(cpus, 4) <= this_design.memory_bytes(cpus + 1, 4));
    }
}
DESIGN_KTEST(clife_statements, KTEST_QUICK);
