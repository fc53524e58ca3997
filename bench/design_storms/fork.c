/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "fork": each CPU has a process that forks children, one after the other, which exit at once
 * (facts F2: fork and exit of a single-threaded child).
 *
 * One operation makes the child's mm and its four counters, copies the parent's areas and the page
 * table entries of those with anonymous parts (bench/mm_fork.c), and takes all of it down again,
 * with the check that each counter's precise sum is 0. Lazy designs are never activated. Left out:
 * what the child would write, and the task itself; so the ratio of two designs is what compares,
 * not the time.
 */
#include "bench/design_storms/mm_steps.h"
#include "core/errno.h"

static int fork_cycle(struct mm_storm_cpu *cpu)
{
    struct mm_task *task = &cpu->task;
    int32_t rss[MM_RSS_COUNTERS] = {0};
    struct mm *child = mm_create(task);
    char *counters;
    int error;

    if (!child)
        return -CS_ENOMEM;
    counters = mm_counters(task, child);
    error = this_design.init_many(counters, 0, COUNTERS_PER_MM);
    if (!error) {
        error = mm_fork(task, cpu->parent, child, rss);
        mm_steps_add_sum(counters, rss);
        mm_steps_exit(task, child, counters);
        cpu->unbalanced += mm_steps_unbalanced(counters);
        this_design.destroy_many(counters, COUNTERS_PER_MM);
    }
    mm_free(task, child);
    return error;
}

static void fork_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    struct mm_storm_cpu *cpu = me->private;

    cpu->execs += n;
    for (; n; n--)
        if (unlikely(fork_cycle(cpu)))
            cpu->nomem++;
}

static void fork_parent_free(struct mm_storm_cpu *cpu)
{
    char *counters = mm_counters(&cpu->task, cpu->parent);

    mm_steps_exit(&cpu->task, cpu->parent, counters);
    cpu->unbalanced += mm_steps_unbalanced(counters);
    this_design.destroy_many(counters, COUNTERS_PER_MM);
    mm_free(&cpu->task, cpu->parent);
    cpu->parent = NULL;
}

static int fork_parent_make(struct mm_storm_cpu *cpu)
{
    struct mm *parent = mm_create(&cpu->task);
    char *counters;

    if (!parent)
        return -CS_ENOMEM;
    counters = mm_counters(&cpu->task, parent);
    if (this_design.init_many(counters, 0, COUNTERS_PER_MM)) {
        mm_free(&cpu->task, parent);
        return -CS_ENOMEM;
    }
    cpu->parent = parent;
    if (!mm_steps_run(&cpu->task, parent, counters))
        return 0;
    fork_parent_free(cpu);
    return -CS_ENOMEM;
}

static int fork_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    int error = mm_storm_setup_cpu(run, me);

    if (!error) {
        error = fork_parent_make(me->private);
        if (error)
            mm_storm_teardown_cpu(run, me);
    }
    return error;
}

static void fork_teardown_cpu(struct storm_run *run, struct storm_cpu *me)
{
    fork_parent_free(me->private);
    mm_storm_teardown_cpu(run, me);
}

static const struct storm_case fork_cases[] = {
    {.name = "", .published = "single child"},
};

static const struct storm fork_storm = {
    .name = "fork",
    .counter = &this_design,
    .subject = "mm_model",
    .compare_with = "flat",
    .summary = "fork and exit of a single-threaded child on every CPU at once",
    .cases = fork_cases,
    .nr_cases = ARRAY_LEN(fork_cases),
    .rank = 42,
    .setup = mm_storm_setup,
    .setup_cpu = fork_setup_cpu,
    .loop = fork_loop,
    .teardown_cpu = fork_teardown_cpu,
    .teardown = mm_storm_teardown,
    .metrics = mm_storm_metrics,
    .profile_locks = true,
    .published_bench = "fork-exit",
    .published_variant = "flat=flat,tree-lazy=tree-lazy",
};
STORM(fork_storm);
