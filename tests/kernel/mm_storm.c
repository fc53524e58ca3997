/* SPDX-License-Identifier: Apache-2.0 */
/* The exec storm of every counter design, driven as the harness drives it, with the k-th
 * allocation of a cycle failing for every k. */
#include "bench/mm_storm.h"
#include "core/selftest.h"
#include "core/string.h"

/* More allocations than this in a cycle mean that the count does not end. */
#define CYCLE_ALLOCATIONS_MAX 1000u

static void fail_each(struct ktest *t, struct storm_run *run, struct storm_cpu *me)
{
    struct mm_storm_cpu *cpu = me->private;
    uint64_t k = 0, counted, failed = 0;

    run->storm->loop(run, me, 1);
    EXPECT_EQ(t, cpu->nomem, 0);
    do { /* until a cycle ends before its k-th allocation */
        fail_injection_set(++k);
        run->storm->loop(run, me, 1);
        counted = fail_injection_set(0);
        EXPECT_EQ(t, cpu->unbalanced, 0);
        EXPECT_EQ(t, cpu->task.pages_taken, cpu->task.pages_given);
        failed += cpu->nomem;
        cpu->nomem = 0;
    } while (counted >= k && k < CYCLE_ALLOCATIONS_MAX);
    EXPECT(t, k < CYCLE_ALLOCATIONS_MAX);
    /* mm, counters, areas, tables, pages: all but the gather's page are needed. */
    EXPECT(t, failed >= 50);
    run->storm->loop(run, me, 1);
    EXPECT_EQ(t, cpu->nomem, 0);
}

static void exec_storm_fails_cleanly(struct ktest *t, const struct storm *storm)
{
    const uint32_t here = 0;
    struct storm_run run = {
        .storm = storm, .cs = &storm->cases[0], .nr_cpus = 1, .cpus = &here, .seed = t->seed};
    struct storm_cpu me = {0};
    struct storm_metric metrics[STORM_METRICS_MAX];

    if (!EXPECT_EQ(t, storm->setup(&run), 0))
        return;
    if (EXPECT_EQ(t, storm->setup_cpu(&run, &me), 0)) {
        fail_each(t, &run, &me);
        EXPECT(t, storm->metrics(&run, metrics) <= STORM_METRICS_MAX);
        storm->teardown_cpu(&run, &me);
    }
    EXPECT_EQ(t, storm->teardown(&run), 0);
}

/* Quick: one design; full: all of them. */
static void every_allocation_may_fail(struct ktest *t)
{
    for (REGISTRY_EACH(storms, const struct storm, p))
        if (strcmp((*p)->name, "exec") == 0 &&
            (t->full || strcmp((*p)->counter->name, "flat") == 0))
            exec_storm_fails_cleanly(t, *p);
}
KTEST(mm_model, every_allocation_may_fail, KTEST_QUICK);

static void set_up_once(struct ktest *t, const struct storm *storm)
{
    const uint32_t here = 0;
    struct storm_run run = {.storm = storm, .nr_cpus = 1, .cpus = &here};
    struct storm_cpu me = {0};

    if (storm->setup(&run)) {
        EXPECT(t, !run.shared);
        return;
    }
    if (storm->setup_cpu(&run, &me) == 0)
        storm->teardown_cpu(&run, &me);
    EXPECT_EQ(t, storm->teardown(&run), 0);
}

/* setup and setup_cpu unwind by themselves. */
static void setup_may_fail(struct ktest *t)
{
    uint64_t k, counted;

    for (REGISTRY_EACH(storms, const struct storm, p)) {
        if (strcmp((*p)->name, "exec") != 0 || strcmp((*p)->counter->name, "flat") != 0)
            continue;
        k = 0;
        do {
            fail_injection_set(++k);
            set_up_once(t, *p);
            counted = fail_injection_set(0);
        } while (counted >= k && k < CYCLE_ALLOCATIONS_MAX);
        EXPECT(t, k > MM_IMAGE_FILE_PAGES && k < CYCLE_ALLOCATIONS_MAX);
    }
}
KTEST(mm_model, setup_may_fail, KTEST_FULL);
