/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows where time is simulated (arch_time_is_simulated()): nothing disturbs them, and each
 * nanosecond costs the host a thousand. So a chunk is short, and so is a window (bench/params.c), or as
 * long as some operations of its slowest member take.
 *
 * What thousands of operations do to a real machine's CPUs has to be there from the beginning:
 * that each stands somewhere else in its operation, in no order. CPUs that start together, in order
 * of their numbers, queue for a lock in that order, neighbours behind neighbours, and a saturated
 * lock keeps it for hundreds of operations. So members begin at random (seed=) within one operation
 * of the slowest, and count once the queues have filled.
 */
#include <arch/time.h>

#include "bench/params.h"
#include "bench/window.h"
#include "core/random.h"
#include "core/time.h"
#include "core/wait.h"

#define CHUNK_NS 250u
#define CHUNK_MAX 16u
#define LEAST_OPS 3u
#define LEAST_OPS_QUICK 2u
#define LEAD_OPS 2u
#define LEAD_OPS_QUICK 1u

/* What an operation takes is kept for the length of the windows. */
void window_simulated_chunk(const struct window *w, struct participant *me)
{
    uint64_t begin = arch_stamp(), now, ops = 0;

    do {
        w->team->run.storm->loop(&w->team->run, &me->cpu, 1);
        arch_operations_done(1);
        now = arch_stamp();
        ops++;
    } while (now - begin < w->length_ticks);
    me->chunk_ticks = (now - begin) / ops + 1;
    me->chunk = time_ns_to_ticks(CHUNK_NS) / me->chunk_ticks;
    me->chunk = MIN(MAX(me->chunk, 1u), CHUNK_MAX);
}

void window_simulate(struct window *w)
{
    const struct team *team = w->team;
    bool quick = bench_settings.suite == SUITE_QUICK;
    uint32_t least = quick ? LEAST_OPS_QUICK : LEAST_OPS;
    uint64_t slowest = 0;

    for (uint32_t i = 0; !w->calibrates && i < team->run.nr_cpus; i++)
        slowest = MAX(slowest, team->members[i]->chunk_ticks);
    w->length_ticks = time_ns_to_ticks(bench_settings.window_us * 1000ull);
    if (!bench_settings.window_was_given)
        w->length_ticks = MAX(w->length_ticks, slowest * least);
    w->spread_ticks = slowest;
    w->lead_ticks = slowest * (quick ? LEAD_OPS_QUICK : LEAD_OPS);
    w->gap_ticks = UINT64_MAX / 2; /* nothing takes time away */
}

static uint64_t random_part(const struct window *w, const struct participant *me)
{
    struct random r;

    random_seed(&r, w->team->run.seed + w->start + ((uint64_t)me->cpu.index << 32));
    return random_below(&r, (uint32_t)MIN(w->spread_ticks, (uint64_t)UINT32_MAX));
}

void window_simulated_lead(const struct window *w, struct participant *me)
{
    uint64_t begin = arch_stamp(), wait;

    if (!w->spread_ticks)
        return;
    wait = random_part(w, me);
    while (arch_stamp() - begin < wait)
        cpu_relax();
    while (arch_stamp() - begin < w->lead_ticks) {
        w->team->run.storm->loop(&w->team->run, &me->cpu, me->chunk);
        arch_operations_done(me->chunk);
    }
}
