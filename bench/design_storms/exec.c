/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "exec": every CPU runs programs one after the other, as fast as it can (facts F1).
 *
 * One operation is what execve and exit do to an address space (bench/mm_model.h): make the mm and
 * its four counters, map a static binary, take its 25 page faults (174 pages, one counter update
 * each), take everything down, check that each counter's precise sum is 0 (check_mm does, so its
 * cost is the field's), destroy counters and mm. ops/s are execs a second.
 *
 * What the CPUs share: the allocator of per-CPU areas and the list of all counters, in init and
 * destroy (8 + 8 lock holds for four single counters, 2 + 2 for a group); the lruvec of their node
 * (2 holds of 11 pages each); the slabs' and zones' locks, rarely; the vdso's page. Which of
 * them decides follows from these counts and from how long a hold lasts on the machine: facts F1
 * saw the counters' locks first, and the lruvec's behind them once they were grouped.
 *
 * Figures beside ours: facts F1, 26 cores, single and grouped; a whole execve, so only the ratio of
 * the two compares.
 */
#include "bench/design_storms/mm_steps.h"
#include "core/errno.h"

static int exec_cycle(struct mm_storm_cpu *cpu)
{
    struct mm_task *task = &cpu->task;
    struct mm *mm = mm_create(task);
    char *counters;
    int error;

    if (!mm)
        return -CS_ENOMEM;
    counters = mm_counters(task, mm);
    error = this_design.init_many(counters, 0, COUNTERS_PER_MM);
    if (!error) {
        error = mm_steps_run(task, mm, counters);
        mm_steps_exit(task, mm, counters);
        cpu->unbalanced += mm_steps_unbalanced(counters);
        this_design.destroy_many(counters, COUNTERS_PER_MM);
    }
    mm_free(task, mm);
    return error;
}

static void exec_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    struct mm_storm_cpu *cpu = me->private;

    cpu->execs += n;
    for (; n; n--)
        if (unlikely(exec_cycle(cpu)))
            cpu->nomem++;
}

static const struct storm_case exec_cases[] = {
    {.name = "", .published = "separate static binaries", .in_quick = true},
};

static const struct storm exec_storm = {
    .name = "exec",
    .counter = &this_design,
    .subject = "mm_model",
    .compare_with = "flat-single",
    .summary = "execve and exit of a static binary on every CPU at once",
    .cases = exec_cases,
    .nr_cases = ARRAY_LEN(exec_cases),
    .rank = 40,
    .setup = mm_storm_setup,
    .setup_cpu = mm_storm_setup_cpu,
    .loop = exec_loop,
    .teardown_cpu = mm_storm_teardown_cpu,
    .teardown = mm_storm_teardown,
    .metrics = mm_storm_metrics,
    .profile_locks = true,
    .published_bench = "exec",
    .published_variant = "flat-single=single,flat=grouped",
    .window_ms_full = 1000,
};
STORM(exec_storm);
