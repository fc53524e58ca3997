/* SPDX-License-Identifier: Apache-2.0 */
/* Setting teams up and taking them down. See bench/team.h. */
#include "bench/team.h"

#include <arch/percpu.h>

#include "bench/params.h"
#include "core/errno.h"
#include "core/format.h"
#include "core/log.h"
#include "core/panic.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/string.h"

/* smp_run() waits longer than the members do for each other: they can say who is missing. */
#define SMP_GRACE_MS 5000u

const char *storm_design_name(const struct storm *storm)
{
    if (storm->design)
        return storm->design;
    return storm->counter ? storm->counter->name : "";
}

bool storm_subject_failed(const struct storm *storm)
{
    char subject[64];

    if (storm->subject && selftest_subject_failed(storm->subject))
        return true;
    if (!storm->counter)
        return false;
    format_text(subject, sizeof(subject), "counter_%s", storm->counter->name);
    return selftest_subject_failed(subject);
}

/* CPU i is member i unless CPUs are missing, or a pair is measured. */
uint32_t team_index(const struct team *team, uint32_t cpu)
{
    if (cpu < team->run.nr_cpus && team->run.cpus[cpu] == cpu)
        return cpu;
    for (uint32_t i = 0; i < team->run.nr_cpus; i++)
        if (team->run.cpus[i] == cpu)
            return i;
    panic("bench: CPU %u works in a team that it is not a member of", cpu);
}

static void keep_first_error(struct team *team, int error)
{
    int none = 0;

    /* Relaxed: read after smp_run() has come back. */
    atomic_compare_exchange_strong_explicit(&team->error, &none, error, memory_order_relaxed,
                                            memory_order_relaxed);
}

/* Runs on the member, so that its memory lies on its own node. */
static void member_create(void *arg)
{
    struct team *team = arg;
    int error = 0;
    uint32_t cpu = this_cpu_id(), index = team_index(team, cpu);
    struct participant *me = kzalloc(ALIGN_UP(sizeof(*me), 2 * CACHE_LINE_BYTES));

    if (!me) {
        keep_first_error(team, -CS_ENOMEM);
        return;
    }
    me->cpu.index = index;
    me->cpu.cpu = cpu;
    me->chunk = 1;
    random_seed(&me->cpu.random, team->run.seed + (index + 1) * 0x9e3779b97f4a7c15ull);
    if (team->run.storm->setup_cpu)
        error = team->run.storm->setup_cpu(&team->run, &me->cpu);
    if (error) {
        keep_first_error(team, error);
        kfree(me);
        return;
    }
    team->members[index] = me;
}

static void member_destroy(void *arg)
{
    struct team *team = arg;
    uint32_t index = team_index(team, this_cpu_id());
    struct participant *me = team->members[index];

    if (!me)
        return;
    if (team->run.storm->teardown_cpu)
        team->run.storm->teardown_cpu(&team->run, &me->cpu);
    kfree(me);
    team->members[index] = NULL;
}

static void on_members(struct team *team, void (*step)(void *arg), const char *what)
{
    if (smp_run(team->run.cpus, team->run.nr_cpus, step, team,
                bench_settings.deadline_ms + SMP_GRACE_MS))
        panic("bench: %s of storm %s/%s did not end", what, team->run.storm->name,
              storm_design_name(team->run.storm));
}

static void team_free(struct team *team)
{
    kfree(team->members);
    kfree(team);
}

void team_destroy(struct team *team)
{
    const struct storm *storm = team->run.storm;

    on_members(team, member_destroy, "teardown_cpu");
    if (storm->teardown && storm->teardown(&team->run))
        report_fail("storm %s/%s: its check at the end failed", storm->name,
                    storm_design_name(storm));
    team_free(team);
}

static int setup_failed(const struct storm *storm, const char *what, int error)
{
    report_fail("storm %s/%s: %s failed: %s", storm->name, storm_design_name(storm), what,
                errno_name(error));
    return error;
}

/* What teardown() finds wrong in a storm that was half set up is no news. */
static void undo_setup(struct team *team)
{
    on_members(team, member_destroy, "teardown_cpu");
    if (team->run.storm->teardown)
        (void)team->run.storm->teardown(&team->run);
    team_free(team);
}

static struct team *team_alloc(uint32_t nr_cpus)
{
    struct team *team = kzalloc(sizeof(*team));

    if (!team)
        return NULL;
    team->members = kzalloc(nr_cpus * sizeof(team->members[0]));
    if (team->members)
        return team;
    kfree(team);
    return NULL;
}

int team_create(struct team **out, const struct storm *storm, const struct storm_case *cs,
                const uint32_t *cpus, uint32_t nr_cpus, uint64_t seed)
{
    struct team *team = team_alloc(nr_cpus);
    int error;

    if (!team)
        return setup_failed(storm, "making its team", -CS_ENOMEM);
    team->run = (struct storm_run){
        .storm = storm, .cs = cs, .nr_cpus = nr_cpus, .cpus = cpus, .seed = seed};
    error = storm->setup ? storm->setup(&team->run) : 0;
    if (error) {
        team_free(team);
        return setup_failed(storm, "setup", error);
    }
    on_members(team, member_create, "setup_cpu");
    error = atomic_load_explicit(&team->error, memory_order_relaxed);
    if (error) {
        undo_setup(team);
        return setup_failed(storm, "setup_cpu", error);
    }
    *out = team;
    return 0;
}
