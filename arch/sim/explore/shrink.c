/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs schedules until one fails; that one is replayed by its choices and made dull: choices become
 * 0 (this part goes on, nothing leaves a buffer, no load is early) in ever smaller groups, as long
 * as the schedule still fails, with no more switches (Zeller, Hildebrandt, "Simplifying and
 * Isolating Failure-Inducing Input", 2002). Bounded in accesses, not in time, so that it ends in
 * the same schedule everywhere.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/sim/explore/explore.h"

#define SHRINK_STEPS (40u << 20)

extern char __start_explore_ghost[] __attribute__((weak));
extern char __stop_explore_ghost[] __attribute__((weak));

static char *ghosts;
static uint32_t begun; /* the undo list's length behind begin() */
static uint64_t spent;
static uint32_t fewest; /* switches */

void explore_begin(void)
{
    explore_undo_on = true;
    explore.sleeps = false;
    explore_names_forget();
}

void explore_take_back(void)
{
    explore_undo_to(0);
    explore_undo_on = false;
}

static size_t ghost_bytes(void)
{
    return (size_t)(__stop_explore_ghost - __start_explore_ghost);
}

static void prepare(const struct explore_scenario *scenario, enum explore_memory memory)
{
    if (!explore_choices.list)
        explore_choices.list = malloc(EXPLORE_CHOICES_MAX);
    free(ghosts);
    ghosts = malloc(ghost_bytes() + 1);
    if (!explore_choices.list || !ghosts)
        sim_fatal("no memory for a schedule's choices");
    if (ghost_bytes())
        memcpy(ghosts, __start_explore_ghost, ghost_bytes());
    begun = explore_undo_mark();
    explore.scenario = scenario;
    explore.memory = memory;
}

/* By explore_choices. */
static void run_once(uint64_t seed)
{
    explore_choices.at = 0;
    explore.now = explore.switches = 0;
    explore.failed = false;
    explore.what[0] = '\0';
    explore_seed_parts(seed);
    explore_trace_reset();
    explore_views_reset();
    explore_schedule();
    explore_undo_to(begun);
    if (ghost_bytes())
        memcpy(__start_explore_ghost, ghosts, ghost_bytes());
    spent += explore.now;
}

static void run_fresh(uint64_t seed)
{
    explore_choices.replay = false;
    explore_choices.used = 0;
    explore_choices.random = (seed + 1) * 0xd1342543de82ef95ull | 1;
    for (int i = 0; i < 3; i++)
        (void)sim_random(&explore_choices.random);
    run_once(seed);
}

static bool replay_fails(uint64_t seed)
{
    explore_choices.replay = true;
    run_once(seed);
    return explore.failed;
}

/* Whether the schedule still fails with the choices as they now are, and switches no more often. */
static bool is_no_worse(uint64_t seed)
{
    if (!replay_fails(seed) || explore.switches > fewest)
        return false;
    fewest = explore.switches;
    if (explore_choices.at < explore_choices.used)
        explore_choices.used = explore_choices.at; /* it failed earlier */
    return true;
}

/* The choices [from, to) become 0, or go; false and as before where the schedule then passes. */
static bool simplified(uint64_t seed, uint32_t from, uint32_t to, bool go)
{
    static uint8_t kept[EXPLORE_CHOICES_MAX];
    uint8_t *list = explore_choices.list;
    uint32_t used = explore_choices.used;
    bool any = go;

    memcpy(kept, list + from, used - from);
    for (uint32_t i = from; i < to && !any; i++)
        any = list[i] != 0;
    if (!any)
        return false;
    if (go) {
        memmove(list + from, list + to, used - to);
        explore_choices.used = used - (to - from);
    } else {
        memset(list + from, 0, to - from);
    }
    if (is_no_worse(seed))
        return true;
    memcpy(list + from, kept, used - from);
    explore_choices.used = used;
    return false;
}

static bool simplify_groups(uint64_t seed, uint32_t group, bool go)
{
    bool better = false;

    for (uint32_t end = explore_choices.used; end > 0; end = end > group ? end - group : 0)
        if (spent < SHRINK_STEPS && end <= explore_choices.used)
            better |= simplified(seed, end > group ? end - group : 0, end, go);
    return better;
}

static void shrink(uint64_t seed)
{
    bool again = true;

    spent = 0;
    fewest = explore.switches;
    for (uint32_t group = explore_choices.used;
         group && again && spent<SHRINK_STEPS; group = group> 1 ? group / 2 : 1) {
        bool better = simplify_groups(seed, group, false);

        better |= simplify_groups(seed, group, true);
        again = group > 1 || better;
    }
}

/* The same failure once more, with a trace. */
static void explain(uint64_t seed, struct explore_result *result)
{
    result->failed = true;
    result->seed = seed;
    result->switches_found = explore.switches;
    explore_choices.used =
        explore_choices.at > explore_choices.used ? explore_choices.at : explore_choices.used;
    shrink(seed);
    explore_tracing = true;
    if (!replay_fails(seed))
        sim_fatal("the schedule of seed %llu fails no more when it is replayed",
                  (unsigned long long)seed);
    explore_tracing = false;
    memcpy(result->what, explore.what, sizeof(result->what));
    result->switches_shrunk = explore.switches;
    result->trace_lines = explore_trace_count();
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void explore_run(const struct explore_scenario *scenario, enum explore_memory memory,
                 uint64_t schedules, uint64_t seed, struct explore_result *result)
{
    double start = now_s();

    *result = (struct explore_result){0};
    prepare(scenario, memory);
    memset(explore.outcome, 0, sizeof(explore.outcome));
    while (result->schedules < schedules) {
        run_fresh(seed + result->schedules);
        result->steps += explore.now;
        result->switches += explore.switches;
        if (explore.now > result->steps_most)
            result->steps_most = explore.now;
        if (explore.failed) {
            result->seconds = now_s() - start;
            explain(seed + result->schedules, result);
            result->schedules++;
            return;
        }
        result->schedules++;
    }
    memcpy(result->outcome, explore.outcome, sizeof(result->outcome));
    result->seconds = now_s() - start;
}
