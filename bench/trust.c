/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps in the time stamp, SMIs, emulation. See bench/trust.h. */
#include "bench/trust.h"

#include <arch/machine.h>
#include <arch/time.h>

#include "bench/params.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/smp.h"
#include "core/string.h"
#include "core/time.h"
#include "core/wait.h"

#define SPIN_MS 50u
#define SPIN_QUICK_MS 5u
#define GAP_NS 2000u /* far above a stamp's own cost, far below an SMI's */
#define GAP_EMULATED_NS 200000u

struct gap_count {
    uint64_t count, lost_ticks, longest_ticks, smis;
};

static PERCPU_STATIC struct gap_count gap_count_percpu;

/* An emulator can take a lock of its own to read the stamp (QEMU's vm_clock_lock does), and a CPU
 * that loses its processor holding it stops all others: where CPUs take turns they do other work
 * between two looks. */
#define TURNS_BETWEEN_LOOKS 20000u

struct gap_pass {
    uint64_t spin_ticks, gap_ticks;
    uint32_t turns;
};

static void look_for_gaps(void *arg)
{
    const struct gap_pass *pass = arg;
    struct gap_count *mine = this_cpu_ptr(gap_count_percpu);
    uint64_t smis = arch_smi_count(), begin = arch_stamp(), then = begin, now;

    memset(mine, 0, sizeof(*mine));
    do {
        for (uint32_t i = 0; i < pass->turns; i++)
            __asm__ volatile("" : : : "memory");
        now = arch_stamp();
        if (unlikely(now - then > pass->gap_ticks)) {
            mine->count++;
            mine->lost_ticks += now - then;
            mine->longest_ticks = MAX(mine->longest_ticks, now - then);
        }
        then = now;
    } while (now - begin < pass->spin_ticks);
    mine->smis = arch_smi_count() - smis;
}

static void report_gaps(uint32_t spin_ms, uint32_t gap_ns)
{
    struct gap_count all = {0};
    uint32_t worst = 0, disturbed = 0;

    for (uint32_t i = 0; i < bench_settings.nr_chosen; i++) {
        const struct gap_count *one = per_cpu_ptr(gap_count_percpu, bench_settings.cpus[i]);

        disturbed += one->count > 0;
        all.count += one->count;
        all.lost_ticks += one->lost_ticks;
        all.smis += one->smis;
        if (one->longest_ticks > all.longest_ticks) {
            all.longest_ticks = one->longest_ticks;
            worst = bench_settings.cpus[i];
        }
    }
    log_line("meta gaps spin_ms=%u over_ns=%u cpus=%u disturbed=%u count=%llu lost_ns=%llu "
             "longest_ns=%llu longest_cpu=%u smi=%llu%s",
             spin_ms, gap_ns, bench_settings.nr_chosen, disturbed, (unsigned long long)all.count,
             (unsigned long long)time_ticks_to_ns(all.lost_ticks),
             (unsigned long long)time_ticks_to_ns(all.longest_ticks), worst,
             (unsigned long long)all.smis,
             arch_smi_count() == UINT64_MAX ? " (the processor does not count SMIs)" : "");
}

static void gap_detection(void)
{
    uint32_t spin_ms = arch_time_is_simulated()              ? 0 /* nothing takes time away */
                       : bench_settings.suite == SUITE_QUICK ? SPIN_QUICK_MS
                                                             : SPIN_MS;
    uint32_t gap_ns = arch_is_emulated() || wait_sleeps ? GAP_EMULATED_NS : GAP_NS;
    struct gap_pass pass = {time_ms_to_ticks(spin_ms), time_ns_to_ticks(gap_ns),
                            wait_sleeps ? TURNS_BETWEEN_LOOKS : 0};

    if (smp_run(bench_settings.cpus, bench_settings.nr_chosen, look_for_gaps, &pass,
                bench_settings.deadline_ms))
        panic("bench: CPUs did not end the look for gaps");
    report_gaps(spin_ms, gap_ns);
}

void trust_report(void)
{
    log_line("meta bench suite=%s seed=%llu window_us=%u samples=%u interrupts=off wait=%s "
             "deadline_ms=%u",
             bench_suite_name(), (unsigned long long)bench_settings.seed, bench_settings.window_us,
             bench_settings.samples, wait_sleeps ? "sleep" : "spin", bench_settings.deadline_ms);
    if (wait_oversubscribed())
        log_line("note more CPUs than processors beneath them: waiters sleep, and whoever holds a "
                 "lock may lose its processor; look at minima and totals");
    if (wait_oversubscribed() && bench_settings.nr_chosen > BENCH_CROWD_CPUS)
        log_line(
            "note rows of more than %u CPUs: they take turns, never run together, and sleep "
            "once their own window is closed; their times say that it works, not what it costs",
            BENCH_CROWD_CPUS);
    gap_detection();
}
