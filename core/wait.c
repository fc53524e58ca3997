/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting policy: spin, or spin and then sleep. See core/wait.h.
 *
 * Whether CPUs outnumber the processors beneath them is known (hosted) or measured: a few CPUs
 * watch the time stamp together for MEASURE_MS; what one of them misses between two looks was spent
 * on somebody else. Real CPUs miss nothing but SMIs.
 */
#include "core/wait.h"

#include <arch/irq.h>
#include <arch/machine.h>

#include "core/log.h"
#include "core/percpu.h"
#include "core/smp.h"
#include "core/time.h"

#define SPINS_BEFORE_SLEEP 256u
#define SPINS_A_LOOK 1024u /* between looks at the clock */
#define MEASURE_MS 20u
#define MEASURE_CPUS 16u
#define GAP_US 300u      /* longer than an emulator's own hiccups, shorter than a time slice */
#define LOST_PERCENT 20u /* of the window on average: more means oversubscribed */

bool wait_sleeps;

struct measure {
    uint64_t start, end, gap_ticks;
    _Atomic uint64_t lost_ticks;
};

bool wait_step(struct wait_state *state, const _Atomic uint32_t *word, uint32_t old)
{
    state->spins++;
    if (wait_sleeps && state->spins >= SPINS_BEFORE_SLEEP) {
        unsigned long irqs = irq_save();

        arch_sleep_word(word, old);
        irq_restore(irqs);
    } else {
        cpu_relax();
        if (state->spins % SPINS_A_LOOK)
            return true;
    }
    if (!state->deadline)
        state->deadline = arch_stamp_loose() + time_ms_to_ticks(WAIT_DEADLINE_MS);
    return arch_stamp_loose() < state->deadline;
}

bool wait_for_value(const _Atomic uint32_t *word, uint32_t value, uint32_t ms)
{
    struct wait_state state = {.deadline = arch_stamp_loose() + time_ms_to_ticks(ms)};
    uint32_t now;

    while ((now = atomic_load_explicit(word, memory_order_acquire)) != value)
        if (!wait_step(&state, word, now))
            return atomic_load_explicit(word, memory_order_acquire) == value;
    return true;
}

/* Each CPU: how much of the window passed without it. */
static void measure_lost(void *arg)
{
    struct measure *m = arg;
    uint64_t last = m->start, lost = 0, now;

    do {
        now = arch_stamp();
        if (now > last + m->gap_ticks)
            lost += MIN(now, m->end) - MIN(last, m->end);
        last = MAX(now, last);
    } while (now < m->end);
    atomic_fetch_add_explicit(&m->lost_ticks, lost, memory_order_relaxed);
}

static bool measure_oversubscription(uint32_t cpus)
{
    uint32_t list[MEASURE_CPUS], count = 0;
    static struct measure m; /* a CPU that comes back after the time-out still writes into it */
    uint64_t percent;

    m.gap_ticks = time_ns_to_ticks(GAP_US * 1000);

    for (CPUMASK_EACH(&cpus_online, cpu)) {
        if (count == MIN(cpus, MEASURE_CPUS))
            break;
        list[count++] = cpu;
    }
    m.start = arch_stamp() + m.gap_ticks;
    m.end = m.start + time_ms_to_ticks(MEASURE_MS);
    if (smp_run(list, count, measure_lost, &m, 10000) != 0)
        return true;
    percent = atomic_load_explicit(&m.lost_ticks, memory_order_relaxed) * 100 /
              ((m.end - m.start) * count);
    log_line("oversubscription: %u CPUs that spun for %u ms had no processor for %llu %% of it",
             count, MEASURE_MS, (unsigned long long)percent);
    return percent > LOST_PERCENT;
}

void wait_init(uint32_t cpus)
{
    uint32_t processors = arch_host_processors();

    if (cpus < 2)
        wait_sleeps = false;
    else if (processors)
        wait_sleeps = cpus > processors;
    else
        wait_sleeps = arch_virt_may_share() && measure_oversubscription(cpus);
    wait_report();
}

void wait_report(void)
{
    log_line("meta wait=%s oversubscribed=%d", wait_sleeps ? "spin-then-sleep" : "spin",
             wait_sleeps);
}

bool wait_oversubscribed(void)
{
    return wait_sleeps;
}
