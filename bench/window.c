/* SPDX-License-Identifier: Apache-2.0 */
/* One window of a team, seen from a member. Picture and invariants: bench/team.h. */
#include "bench/window.h"

#include <arch/lines.h>
#include <arch/machine.h>
#include <arch/percpu.h>
#include <arch/time.h>

#include "core/log.h"
#include "core/panic.h"
#include "core/plant.h"
#include "core/smp.h"
#include "core/time.h"
#include "core/wait.h"

/* From the last arrival to the start: what the news needs to reach everybody, and no more. */
#define START_MARGIN_NS 20000u
#define START_MARGIN_CPU_NS 100u
/* The same where time is simulated and all of it is the news' own. */
#define START_MARGIN_SIMULATED_NS 500u
#define START_MARGIN_SIMULATED_CPU_NS 5u
#define NAMED_MAX 16u
#define PANIC_MS 5000u
#define NEVER_LOST 2u /* no value of `lost` */

static void set_phase(struct participant *me, enum member_phase phase)
{
    /* Relaxed: only read by the one that names the missing, long after. */
    atomic_store_explicit(&me->phase, phase, memory_order_relaxed);
}

static uint64_t start_margin_ticks(const struct window *w)
{
    bool simulated = arch_time_is_simulated();
    uint64_t cpu_ns = simulated ? START_MARGIN_SIMULATED_CPU_NS : START_MARGIN_CPU_NS;

    return time_ns_to_ticks((simulated ? START_MARGIN_SIMULATED_NS : START_MARGIN_NS) +
                            cpu_ns * w->meet.members);
}

/* The last one at the barrier: everything that the window's end needs is set again. */
static void open_window(void *arg)
{
    struct window *w = arg;
    /* Relaxed: the barrier's release makes these three seen (I2 of bench/barrier.h). */
    atomic_store_explicit(&w->open, w->meet.members, memory_order_relaxed);
    atomic_store_explicit(&w->team->run.ended, 0, memory_order_relaxed);
    if (w->team->counts_lines)
        arch_lines_reset();
    w->start = arch_stamp() + (wait_sleeps ? 0 : start_margin_ticks(w));
}

/* All start at one stamp; one whose stamp lags behind does not wait longer than the margin. */
static void wait_for_start(const struct window *w)
{
    uint64_t arrived = arch_stamp();
    uint64_t margin = w->start - arrived;

    if ((int64_t)margin <= 0)
        return;
    margin = MIN(margin, start_margin_ticks(w));
    while (arch_stamp() - arrived < margin)
        cpu_relax();
}

/* plant=hang: the last of the first team that has company; plant=hang-boot: its first. */
static void hang_if_planted(const struct window *w, const struct participant *me)
{
    uint32_t last = w->meet.members - 1;

    if (w->calibrates || last == 0)
        return;
    if ((plant_wanted("hang") && me->cpu.index == last) ||
        (plant_wanted("hang-boot") && me->cpu.index == 0))
        for (;;)
            cpu_relax();
}

void window_count(const struct window *w, struct participant *me)
{
    void (*loop)(struct storm_run *, struct storm_cpu *, uint64_t) = w->team->run.storm->loop;
    uint64_t cycles = arch_cycles();
    uint64_t shortest = me->chunk_ticks, begin = arch_stamp(), then = begin, now;

    do {
        loop(&w->team->run, &me->cpu, me->chunk);
        arch_operations_done(me->chunk);
        now = arch_stamp();
        me->ops += me->chunk;
        if (unlikely(now - then > shortest + w->gap_ticks && now - then > shortest * 8)) {
            me->gaps++;
            me->gap_ticks += now - then - shortest;
        }
        then = now;
    } while (now - begin < w->length_ticks);
    me->ticks = now - begin;
    me->cycles = arch_cycles() - cycles;
}

void window_count_crowd(const struct window *w, struct participant *me)
{
    void (*loop)(struct storm_run *, struct storm_cpu *, uint64_t) = w->team->run.storm->loop;
    uint64_t cycles = arch_cycles(), begin = arch_stamp(), then = begin, now;

    me->chunk = 1;
    do {
        loop(&w->team->run, &me->cpu, me->chunk);
        now = arch_stamp();
        me->ops += me->chunk;
        if (now - then < w->chunk_ticks / 2)
            me->chunk *= 2;
        else if (now - then > w->chunk_ticks * 2)
            me->chunk = MAX(me->chunk / 8, 1u);
        then = now;
    } while (now - begin < w->length_ticks);
    me->ticks = now - begin;
    me->cycles = arch_cycles() - cycles;
}

/* I1: works on, uncounted, until everybody has closed. False: somebody never did. */
static bool work_on(const struct window *w, struct participant *me, uint64_t limit)
{
    struct storm_run *run = &w->team->run;

    /* Acquire: pairs with the last one's release, so that its results are seen. */
    while (!atomic_load_explicit(&run->ended, memory_order_acquire)) {
        run->storm->loop(run, &me->cpu, me->chunk);
        arch_operations_done(me->chunk);
        if ((int64_t)(arch_stamp_loose() - limit) > 0)
            return false;
    }
    return true;
}

/* A crowd never runs at the same time, so working on would load nobody's window; it would only take
 * the processors from those whose turn has not come yet. */
static bool await_end(struct window *w)
{
    return wait_for_value(&w->team->run.ended, 1,
                          (uint32_t)(time_ticks_to_ns(w->timeout_ticks) / 1000000));
}

static bool close_window(struct window *w, struct participant *me)
{
    set_phase(me, MEMBER_CLOSED);
    /* Acquire and release: the last one has seen all others close before it says so. */
    if (atomic_fetch_sub_explicit(&w->open, 1, memory_order_acq_rel) == 1) {
        if (w->team->counts_lines)
            arch_lines_stop();
        atomic_store_explicit(&w->team->run.ended, 1, memory_order_release);
        wait_wake(&w->team->run.ended);
        return true;
    }
    if (w->is_crowd)
        return await_end(w);
    return work_on(w, me, arch_stamp_loose() + w->timeout_ticks);
}

static struct participant *find_me(const struct window *w)
{
    return w->team->members[team_index(w->team, this_cpu_id())];
}

void window_member(void *arg)
{
    struct window *w = arg;
    struct participant *me = find_me(w);
    uint64_t smis = arch_smi_count();

    me->ops = me->ticks = me->gap_ticks = me->gaps = 0;
    set_phase(me, MEMBER_WORKING);
    if (!barrier_meet(&w->meet, open_window, w, arch_stamp_loose() + w->timeout_ticks)) {
        window_name_missing(w, MEMBER_WORKING);
        return;
    }
    wait_for_start(w);
    hang_if_planted(w, me);
    if (w->is_crowd)
        window_count_crowd(w, me);
    else if (w->calibrates)
        window_find_chunk(w, me);
    else {
        window_simulated_lead(w, me);
        window_count(w, me);
    }
    if (!close_window(w, me)) {
        window_name_missing(w, MEMBER_CLOSED);
        return;
    }
    me->smis = arch_smi_count() - smis;
    set_phase(me, MEMBER_DONE);
}

/* Names each missing CPU and where it is. */
static uint32_t probe_missing(const struct window *w, enum member_phase expected)
{
    uint32_t missing = 0;

    for (uint32_t i = 0; i < w->meet.members; i++) {
        const struct participant *one = w->team->members[i];
        uint32_t phase = atomic_load_explicit(&one->phase, memory_order_relaxed);

        if (phase >= expected || missing++ >= NAMED_MAX)
            continue;
        log_line("CPU %u has not come back (%s)", one->cpu.cpu,
                 phase == MEMBER_AWAY ? "never came to the start" : "has not closed its window");
        smp_probe_and_print(one->cpu.cpu);
    }
    return missing;
}

/* The panic stops this CPU meanwhile; asking the missing takes a while. */
static void wait_for_panic(const struct window *w)
{
    uint32_t ms = (uint32_t)(time_ticks_to_ns(w->timeout_ticks) / 1000000) + PANIC_MS;

    (void)!wait_for_value(&w->lost, NEVER_LOST, ms);
}

void window_name_missing(struct window *w, enum member_phase expected)
{
    const struct storm *storm = w->team->run.storm;
    const char *design = storm_design_name(storm), *name = w->team->run.cs->name;
    uint32_t missing;

    /* Relaxed: an election, nothing is published with it. */
    if (atomic_exchange_explicit(&w->lost, 1, memory_order_relaxed)) {
        wait_for_panic(w);
        return;
    }
    log_hush(false);
    missing = probe_missing(w, expected);
    panic("bench: %u of %u CPUs did not come back within %llu ms: storm %s%s%s%s%s", missing,
          w->meet.members, (unsigned long long)(time_ticks_to_ns(w->timeout_ticks) / 1000000),
          storm->name, *design ? ", design " : "", design, *name ? ", case " : "", name);
}
