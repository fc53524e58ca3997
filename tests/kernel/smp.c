/* SPDX-License-Identifier: Apache-2.0 */
/* Work on other CPUs, waiting for them, and what the table of CPUs says. */
#include "core/smp.h"

#include "core/percpu.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/time.h"
#include "core/wait.h"

#define RUN_MS 30000u

static PERCPU_STATIC uint32_t runs_percpu;

static void count_run(void *arg)
{
    *this_cpu_ptr(runs_percpu) += *(uint32_t *)arg;
}

static void every_cpu_runs_once(struct ktest *t)
{
    uint32_t one = 1;

    for (CPUMASK_EACH(&cpus_online, cpu))
        *per_cpu_ptr(runs_percpu, cpu) = 0;
    for (uint32_t round = 1; round <= 3; round++) {
        ktest_run_all(t, count_run, &one, RUN_MS);
        for (CPUMASK_EACH(&cpus_online, cpu))
            EXPECT_EQ(t, *per_cpu_ptr(runs_percpu, cpu), round);
    }
}

static void others_are_left_alone(struct ktest *t)
{
    uint32_t one = 1, last = 0;

    for (CPUMASK_EACH(&cpus_online, cpu)) {
        *per_cpu_ptr(runs_percpu, cpu) = 0;
        last = cpu;
    }
    ktest_run_on(t, &last, 1, count_run, &one, RUN_MS);
    for (CPUMASK_EACH(&cpus_online, cpu))
        EXPECT_EQ(t, *per_cpu_ptr(runs_percpu, cpu), cpu == last);
}

static void identities_agree(struct ktest *t)
{
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        EXPECT_EQ(t, cpu_get(cpu)->id, cpu);
        EXPECT(t, cpu_to_node(cpu) < nr_nodes);
        for (uint32_t other = 0; other < cpu; other++)
            EXPECT(t, cpu_get(cpu)->hw_id != cpu_get(other)->hw_id);
    }
    EXPECT_EQ(t, this_cpu_id(), 0);
}

static void all_listed_are_accounted_for(struct ktest *t)
{
    uint32_t online = cpumask_count(&cpus_online);

    EXPECT(t, online >= 1 && online <= nr_cpus);
    EXPECT_EQ(t, online + topology_failed() + topology_disabled() + topology_unused(),
              topology_listed());
}

static void a_wait_ends_at_its_deadline(struct ktest *t)
{
    _Atomic uint32_t word = 1;
    uint64_t start = arch_stamp(), waited_ms;

    EXPECT(t, !wait_for_value(&word, 2, 3));
    waited_ms = time_ticks_to_ns(arch_stamp() - start) / 1000000;
    EXPECT(t, waited_ms >= 3);
    EXPECT(t, wait_for_value(&word, 1, 0));
}

struct handshake {
    _Atomic uint32_t turn;
    uint32_t rounds;
    bool timed_out;
};

/* Two CPUs write the word in turn; each waits for the other: a lost wake-up would show as a
 * time-out where waiters sleep. */
static void take_turns(void *arg)
{
    struct handshake *h = arg;
    uint32_t mine = this_cpu_id() == 0 ? 0 : 1;

    for (uint32_t i = 0; i < h->rounds; i++) {
        if (!wait_for_value(&h->turn, 2 * i + mine, RUN_MS)) {
            h->timed_out = true;
            return;
        }
        atomic_store_explicit(&h->turn, 2 * i + mine + 1, memory_order_release);
        wait_wake(&h->turn);
    }
}

static void no_wake_up_is_lost(struct ktest *t)
{
    struct handshake h = {.rounds = t->full ? 20000 : 200};
    uint32_t pair[2] = {0, cpumask_next(&cpus_online, 1)};

    if (pair[1] == UINT32_MAX) {
        ktest_skip(t, "needs two CPUs");
        return;
    }
    ktest_run_on(t, pair, 2, take_turns, &h, 2 * RUN_MS);
    EXPECT(t, !h.timed_out);
    EXPECT_EQ(t, atomic_load(&h.turn), 2 * h.rounds);
}

static void masks(struct ktest *t)
{
    struct cpumask mask;
    uint32_t seen = 0;

    if (!EXPECT_EQ(t, cpumask_alloc(&mask), 0))
        return;
    EXPECT_EQ(t, cpumask_next(&mask, 0), UINT32_MAX);
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu += 3)
        cpumask_set(&mask, cpu);
    for (CPUMASK_EACH(&mask, cpu)) {
        EXPECT_EQ(t, cpu, 3 * seen);
        seen++;
    }
    EXPECT_EQ(t, cpumask_count(&mask), (nr_cpus + 2) / 3);
    EXPECT_EQ(t, seen, (nr_cpus + 2) / 3);
    cpumask_clear(&mask, 0);
    EXPECT(t, !cpumask_has(&mask, 0));
    cpumask_free(&mask);
}

KTEST(smp, every_cpu_runs_once, KTEST_QUICK);
KTEST(smp, others_are_left_alone, KTEST_QUICK);
KTEST(smp, identities_agree, KTEST_QUICK);
KTEST(smp, all_listed_are_accounted_for, KTEST_QUICK);
KTEST(smp, masks, KTEST_QUICK);
KTEST(wait, a_wait_ends_at_its_deadline, KTEST_QUICK);
KTEST(wait, no_wake_up_is_lost, KTEST_QUICK);
