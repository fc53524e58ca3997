/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the stamps of all CPUs show the same time.
 *
 *   boot CPU    t0 ── turn ──>                <── turn ── t1
 *   other CPU                 ── s (its stamp) ──
 *
 * Stamps in step have t0 <= s <= t1; by how much one lies outside is a skew that is proven. A skew
 * of up to the round trip t1 - t0 can hide, so the shortest round trip is reported beside it.
 *
 * The other CPUs are halted meanwhile. Bounded by SYNC_BUDGET_MS in all; an emulator's CPUs share
 * the host's clock and cost a host's scheduling each, so there SYNC_EMULATED_CPUS of them, evenly
 * spread, must do.
 */
#include <arch/machine.h>

#include "core/log.h"
#include "core/percpu.h"
#include "core/smp.h"
#include "core/time.h"
#include "core/wait.h"

#define SYNC_ROUNDS 8u
#define SYNC_BUDGET_MS 50u
#define SYNC_EMULATED_CPUS 8u
#define SYNC_ANSWER_MS 2000u

static struct {
    _Atomic uint32_t turn cacheline_aligned; /* odd: the other CPU's; even: the boot CPU's */
    uint64_t stamp;
    bool silent;
} sync_pair;

static uint64_t sync_skew_ticks, sync_trip_ticks = UINT64_MAX;
static uint32_t sync_checked, sync_unchecked, sync_worst_cpu;
static bool sync_ran;

static void sync_pass_turn(uint32_t turn)
{
    /* Release: the stamp, taken or stored before, is before the turn for whoever acquires it. */
    atomic_store_explicit(&sync_pair.turn, turn, memory_order_release);
    wait_wake(&sync_pair.turn);
}

static void sync_answer(void)
{
    for (uint32_t round = 0; round < SYNC_ROUNDS; round++) {
        if (!wait_for_value(&sync_pair.turn, 2 * round + 1, SYNC_ANSWER_MS))
            return;
        sync_pair.stamp = arch_stamp();
        sync_pass_turn(2 * round + 2);
    }
}

static uint64_t sync_ask(void)
{
    uint64_t worst = 0;

    for (uint32_t round = 0; round < SYNC_ROUNDS; round++) {
        uint64_t t0 = arch_stamp(), t1, s;

        sync_pass_turn(2 * round + 1);
        if (!wait_for_value(&sync_pair.turn, 2 * round + 2, SYNC_ANSWER_MS)) {
            sync_pair.silent = true;
            return worst;
        }
        t1 = arch_stamp();
        s = sync_pair.stamp;
        worst = MAX(worst, s < t0 ? t0 - s : s > t1 ? s - t1 : 0);
        sync_trip_ticks = MIN(sync_trip_ticks, t1 - t0);
    }
    return worst;
}

static void sync_run(void *arg)
{
    uint64_t *worst = arg;

    if (this_cpu_id() == 0)
        *worst = sync_ask();
    else
        sync_answer();
}

static bool sync_check_cpu(uint32_t cpu)
{
    const uint32_t pair[2] = {0, cpu};
    uint64_t worst = 0;

    sync_pair.silent = false;
    atomic_store_explicit(&sync_pair.turn, 0, memory_order_relaxed); /* posted with the work */
    if (smp_run(pair, 2, sync_run, &worst, 2 * SYNC_ANSWER_MS) != 0 || sync_pair.silent)
        return false;
    if (worst > sync_skew_ticks) {
        sync_skew_ticks = worst;
        sync_worst_cpu = cpu;
    }
    return true;
}

void time_check_sync(void)
{
    uint32_t others = cpumask_count(&cpus_online) - 1, seen = 0;
    uint32_t step = arch_is_emulated() ? others / SYNC_EMULATED_CPUS + 1 : 1;
    uint64_t start = arch_stamp_loose(), budget = time_ms_to_ticks(SYNC_BUDGET_MS);

    for (CPUMASK_EACH(&cpus_online, cpu)) {
        if (cpu == 0 || seen++ % step)
            continue;
        if (arch_stamp_loose() - start > budget || !sync_check_cpu(cpu))
            break;
        sync_checked++;
    }
    sync_unchecked = others - sync_checked;
    sync_ran = true;
}

void time_report_sync(void)
{
    if (!sync_ran || !(sync_checked + sync_unchecked))
        return;
    if (!sync_checked)
        log_line("stamp sync: %u CPUs not checked", sync_unchecked);
    else if (!sync_skew_ticks)
        log_line("stamp sync: no skew seen over %u CPUs, shortest round trip %llu ticks; %u not "
                 "checked",
                 sync_checked, (unsigned long long)sync_trip_ticks, sync_unchecked);
    else
        log_warn("stamp sync: max skew %llu ticks (CPU %u) over %u CPUs, shortest round trip %llu "
                 "ticks; %u not checked",
                 (unsigned long long)sync_skew_ticks, sync_worst_cpu, sync_checked,
                 (unsigned long long)sync_trip_ticks, sync_unchecked);
}
