/* SPDX-License-Identifier: Apache-2.0 */
/* Setting up, checking and taking down the exec and fork storms; see mm_storm.h. */
#include "bench/mm_storm.h"

#include "core/errno.h"
#include "core/log.h"

/* Of the whole run: storm_run.shared. */
struct mm_storm {
    struct mm_system system;
    uint64_t nomem, unbalanced, pages_kept; /* of CPUs that have left */
    struct mm_storm_cpu *cpus[];            /* by index in the run; NULL: not there */
};

int mm_storm_setup(struct storm_run *run)
{
    const struct counter_design *design = run->storm->counter;
    struct mm_storm *storm = kzalloc(sizeof(*storm) + run->nr_cpus * sizeof(storm->cpus[0]));
    int error;

    if (!storm)
        return -CS_ENOMEM;
    error = mm_system_init(&storm->system, design->counter_bytes * COUNTERS_PER_MM,
                           design->counter_align);
    if (error) {
        kfree(storm);
        return error;
    }
    run->shared = storm;
    return 0;
}

int mm_storm_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct mm_storm *storm = run->shared;
    struct mm_storm_cpu *cpu = kzalloc(sizeof(*cpu));
    int error;

    if (!cpu)
        return -CS_ENOMEM;
    error = mm_task_init(&cpu->task, &storm->system);
    if (error) {
        kfree(cpu);
        return error;
    }
    me->private = cpu;
    storm->cpus[me->index] = cpu;
    return 0;
}

void mm_storm_teardown_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct mm_storm_cpu *cpu = me->private;

    /* The CPU's share stays until the boot CPU has looked at it. */
    if (cpu)
        mm_task_destroy(&cpu->task);
    me->private = NULL;
}

static void collect(struct mm_storm *storm, struct mm_storm_cpu *cpu)
{
    storm->nomem += cpu->nomem;
    storm->unbalanced += cpu->unbalanced;
    storm->pages_kept += cpu->task.pages_taken - cpu->task.pages_given;
    kfree(cpu);
}

int mm_storm_teardown(struct storm_run *run)
{
    const char *design = run->storm->counter->name, *name = run->storm->name;
    struct mm_storm *storm = run->shared;
    uint64_t objects_left;
    bool ok;

    for (uint32_t i = 0; i < run->nr_cpus; i++)
        if (storm->cpus[i])
            collect(storm, storm->cpus[i]);
    objects_left = mm_system_destroy(&storm->system);
    if (storm->unbalanced)
        report_fail("%s %s: %llu counters were not 0 at the end of their mm", name, design,
                    (unsigned long long)storm->unbalanced);
    if (storm->nomem)
        report_fail("%s %s: memory ran out in %llu cycles", name, design,
                    (unsigned long long)storm->nomem);
    if (storm->pages_kept || objects_left)
        report_fail("%s %s: %llu pages and %llu objects were not given back", name, design,
                    (unsigned long long)storm->pages_kept, (unsigned long long)objects_left);
    ok = !storm->unbalanced && !storm->nomem && !storm->pages_kept && !objects_left;
    kfree(storm);
    run->shared = NULL;
    return ok ? 0 : -CS_EIO;
}

unsigned mm_storm_metrics(struct storm_run *run, struct storm_metric out[STORM_METRICS_MAX])
{
    const struct mm_storm *storm = run->shared;
    uint64_t execs = 0, pages = 0;

    for (uint32_t i = 0; i < run->nr_cpus; i++) {
        const struct mm_storm_cpu *cpu = storm->cpus[i];

        if (!cpu)
            continue;
        execs += cpu->execs;
        pages += cpu->task.pages_taken;
    }
    if (!execs)
        return 0;
    out[0] = (struct storm_metric){"pages/op", (int64_t)(pages * 1000 / execs)};
    out[1] = (struct storm_metric){"lru-locks/op",
                                   (int64_t)(lru_holds(&storm->system.lru) * 1000 / execs)};
    return 2;
}
