/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a team, seen from the boot CPU: how long, how the chunk is found, what came out.
 *
 * The chunk is found under the case's own load: all members double theirs, each at its own pace,
 * while they all work. The window is at least 1 ms and 1000 ticks of the stamp; a chunk aims at
 * 1/CHUNKS_PER_WINDOW of it, but at STAMP_COST_FACTOR times the stamp's own cost at least, so that
 * reading it costs less than 1 %. Slow operations keep a chunk of 1.
 */
#include <arch/machine.h>
#include <arch/time.h>

#include "bench/params.h"
#include "bench/window.h"
#include "core/log.h"
#include "core/panic.h"
#include "core/smp.h"
#include "core/string.h"
#include "core/time.h"
#include "core/wait.h"

#define CHUNKS_PER_WINDOW 32u
#define STAMP_COST_FACTOR 100u
/* The second one checks, with caches and contention as they will be. */
#define CALIBRATION_WINDOWS 2u
/* More than BENCH_CROWD_CPUS that take turns on a few processors are a crowd. A round of them takes
 * long: they get one warm-up window, and windows that end within one turn. A chunk found by a CPU
 * that had its turn alone would take minutes once all wait in one lock's queue: it is found anew
 * all the time, from 1 up, and short; and gaps are everywhere, so they are not looked for. */
#define CROWD_CHUNK_NS 20000u
#define MIN_WINDOW_NS 1000000u
#define MIN_WINDOW_TICKS 1000u
#define GAP_NS 20000u /* an SMI takes tens of microseconds */
#define GAP_EMULATED_NS 1000000u
#define SMP_GRACE_MS 5000u
#define STAMP_PROBES 64u

void window_find_chunk(const struct window *w, struct participant *me)
{
    void (*loop)(struct storm_run *, struct storm_cpu *, uint64_t) = w->team->run.storm->loop;
    uint64_t begin = arch_stamp(), then = begin, now, shortest = UINT64_MAX;

    if (arch_time_is_simulated()) {
        window_simulated_chunk(w, me);
        return;
    }
    do {
        loop(&w->team->run, &me->cpu, me->chunk);
        now = arch_stamp();
        if (now - then < w->chunk_ticks / 2) {
            me->chunk *= 2;
            shortest = UINT64_MAX;
        } else {
            shortest = MIN(shortest, now - then);
        }
        then = arch_stamp();
    } while (now - begin < w->length_ticks);
    /* Found too long, since others were not yet working against it. */
    while (shortest != UINT64_MAX && shortest > 2 * w->chunk_ticks && me->chunk > 1) {
        me->chunk /= 2;
        shortest /= 2;
    }
    me->chunk_ticks = shortest == UINT64_MAX ? w->chunk_ticks : shortest;
}

/* The least that two stamps in a row are apart. */
static uint64_t stamp_cost_ticks(void)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < STAMP_PROBES; i++) {
        uint64_t a = arch_stamp(), b = arch_stamp();

        least = MIN(least, b - a);
    }
    return least;
}

bool team_is_crowd(const struct team *team)
{
    return wait_sleeps && team->run.nr_cpus > BENCH_CROWD_CPUS;
}

static uint64_t window_ns(const struct team *team)
{
    const struct storm *storm = team->run.storm;

    if (bench_settings.suite == SUITE_FULL && storm->window_ms_full)
        return storm->window_ms_full * 1000000ull;
    return (team_is_crowd(team) ? bench_settings.crowd_window_us : bench_settings.window_us) *
           1000ull;
}

static void window_init(struct window *w, struct team *team, bool calibrates)
{
    uint64_t least = MAX(time_ns_to_ticks(MIN_WINDOW_NS), (uint64_t)MIN_WINDOW_TICKS);

    memset(w, 0, sizeof(*w));
    w->team = team;
    w->calibrates = calibrates;
    barrier_init(&w->meet, team->run.nr_cpus);
    w->length_ticks = MAX(time_ns_to_ticks(window_ns(team)), least);
    w->chunk_ticks = MAX(w->length_ticks / CHUNKS_PER_WINDOW,
                         MIN(stamp_cost_ticks() * STAMP_COST_FACTOR, w->length_ticks));
    w->is_crowd = team_is_crowd(team);
    if (w->is_crowd)
        w->chunk_ticks = time_ns_to_ticks(CROWD_CHUNK_NS);
    w->gap_ticks = time_ns_to_ticks(arch_is_emulated() || wait_sleeps ? GAP_EMULATED_NS : GAP_NS);
    if (arch_time_is_simulated())
        window_simulate(w);
    w->timeout_ticks = time_ms_to_ticks(bench_settings.deadline_ms) + w->length_ticks;
    for (uint32_t i = 0; i < team->run.nr_cpus; i++)
        atomic_store_explicit(&team->members[i]->phase, MEMBER_AWAY, memory_order_relaxed);
}

static void run_window(struct team *team, bool calibrates)
{
    struct window w;
    uint32_t ms =
        2 * bench_settings.deadline_ms + SMP_GRACE_MS + (uint32_t)(2 * window_ns(team) / 1000000);

    window_init(&w, team, calibrates);
    arch_measures(team->run.storm->name, storm_design_name(team->run.storm), team->run.cs->name);
    if (smp_run(team->run.cpus, team->run.nr_cpus, window_member, &w, ms))
        panic("bench: storm %s/%s: CPUs did not end a window", team->run.storm->name,
              storm_design_name(team->run.storm));
}

void team_calibrate(struct team *team)
{
    unsigned windows = team_is_crowd(team) || arch_time_is_simulated() ? 1 : CALIBRATION_WINDOWS;

    if (team->run.storm->measure)
        return;
    for (unsigned i = 0; i < windows; i++)
        run_window(team, true);
}

/* Thousandths of operations in a second; ps in a femtosecond's precision where it fits. */
static uint64_t milli_rate(uint64_t ops, uint64_t ps)
{
    uint64_t fs_per_op = ps < UINT64_MAX / 1000 ? ps * 1000 / ops : ps / ops * 1000;

    return 1000000000000000000ull / MAX(fs_per_op, 1ull);
}

/* A value that is no time takes the place of ns: both are printed from thousandths. */
static void take_measure(struct team *team, struct sample *out)
{
    const struct storm *storm = team->run.storm;

    if (storm->measure(&team->run))
        report_fail("storm %s/%s: its measurement failed", storm->name, storm_design_name(storm));
    out->ops = 1;
    out->ratio_milli = 1000;
    out->nr_metrics = storm->metrics(&team->run, out->metrics);
    out->ps_per_op = out->nr_metrics ? (uint64_t)out->metrics[0].milli : 0;
}

/* Where the CPUs count their own cycles: those are of the CPU's clock, not of the time stamp's, and
 * tell a slower clock from more work. */
static void add_cycles(const struct team *team, struct sample *out)
{
    uint64_t cycles = 0;

    for (uint32_t i = 0; i < team->run.nr_cpus; i++)
        cycles += team->members[i]->cycles;
    if (cycles && out->nr_metrics < STORM_METRICS_MAX)
        out->metrics[out->nr_metrics++] = (struct storm_metric){
            "cycles/op", (int64_t)(cycles / out->ops * 1000 + cycles % out->ops * 1000 / out->ops)};
}

void team_sample(struct team *team, struct sample *out)
{
    uint64_t slowest = UINT64_MAX, fastest = 0;

    memset(out, 0, sizeof(*out));
    if (team->run.storm->measure) {
        take_measure(team, out);
        return;
    }
    run_window(team, false);
    for (uint32_t i = 0; i < team->run.nr_cpus; i++) {
        const struct participant *one = team->members[i];
        uint64_t ps = time_ticks_to_ps(one->ticks), rate = milli_rate(one->ops, ps);

        out->ops += one->ops;
        out->milli_ops_s += rate;
        out->window_ps = MAX(out->window_ps, ps);
        out->gaps += one->gaps;
        out->gap_ps += time_ticks_to_ps(one->gap_ticks);
        out->smis += one->smis;
        slowest = MIN(slowest, rate);
        fastest = MAX(fastest, rate);
    }
    /* 10^15 ps/s × 1000 / milli-operations of a CPU in a second */
    out->ps_per_op = (1000000000000000ull + out->milli_ops_s / team->run.nr_cpus / 2) /
                     MAX(out->milli_ops_s / team->run.nr_cpus, 1ull);
    out->ratio_milli = (uint32_t)MIN(fastest / MAX(slowest / 1000, 1ull), (uint64_t)UINT32_MAX);
    if (team->run.storm->metrics)
        out->nr_metrics = team->run.storm->metrics(&team->run, out->metrics);
    add_cycles(team, out);
}
