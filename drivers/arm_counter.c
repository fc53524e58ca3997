/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generic timer, looked at on every CPU: CNTFRQ_EL0 is a register of each, written by firmware
 * or forgotten, and the counter behind CNTVCT_EL0 ought to be one for all.
 *
 * The rate that is used is the boot CPU's (or the device tree's); CPUs that claim another one are
 * counted and named. Whether the counters agree is core/time_sync.c's to measure.
 */
#include <stdatomic.h>

#include "core/init.h"
#include "core/log.h"
#include "core/percpu.h"
#include "core/smp.h"
#include "core/time.h"

#define COUNTER_RUN_MS 20000u
#define COUNTER_LOOKS_MAX 10000000u

struct counter_look {
    uint64_t boot_hz;
    _Atomic uint32_t other_rate, stopped;
    _Atomic uint32_t one_of_them; /* a CPU with another rate, +1 */
};

static bool counter_moves(void)
{
    uint64_t first = arch_stamp();

    for (uint32_t i = 0; i < COUNTER_LOOKS_MAX; i++)
        if (arch_stamp() != first)
            return true;
    return false;
}

static void counter_look_here(void *arg)
{
    struct counter_look *look = arg;
    const char *source;

    if (arch_stamp_hz_claim(&source) != look->boot_hz) {
        atomic_fetch_add_explicit(&look->other_rate, 1, memory_order_relaxed);
        atomic_store_explicit(&look->one_of_them, this_cpu_id() + 1, memory_order_relaxed);
    }
    if (!counter_moves())
        atomic_fetch_add_explicit(&look->stopped, 1, memory_order_relaxed);
}

static void counter_check(void)
{
    static struct counter_look look;
    const char *source;
    uint32_t other, stopped;

    look.boot_hz = arch_stamp_hz_claim(&source);
    if (smp_run_all(counter_look_here, &look, COUNTER_RUN_MS))
        return; /* smp_run has said why */
    other = atomic_load_explicit(&look.other_rate, memory_order_relaxed);
    stopped = atomic_load_explicit(&look.stopped, memory_order_relaxed);
    log_line("counters: %u of %u CPUs claim %llu Hz (%s), %u stand still",
             cpumask_count(&cpus_online) - other, cpumask_count(&cpus_online),
             (unsigned long long)look.boot_hz, source, stopped);
    if (other)
        log_warn("CPU %u, one of %u, claims another rate of its counter than the boot CPU",
                 atomic_load_explicit(&look.one_of_them, memory_order_relaxed) - 1, other);
    if (stopped)
        report_fail("the counter of %u CPUs stands still", stopped);
}
INIT_FN(counter_check, INIT_LATE, 0);
