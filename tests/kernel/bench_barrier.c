/* SPDX-License-Identifier: Apache-2.0 */
/* bench/barrier on all CPUs: nobody goes on before all have come (I1), all see what the last one
 * did (I2), and a missing one is noticed by its deadline. */
#include "bench/barrier.h"

#include <arch/time.h>

#include "core/selftest.h"
#include "core/smp.h"
#include "core/time.h"

#define ROUNDS 20u
#define ROUNDS_FULL 500u
#define DEADLINE_MS 30000u
#define RUN_MS 120000u

struct meeting {
    struct barrier barrier;
    uint32_t rounds;
    uint64_t published; /* by the last one: rounds begun */
    _Atomic uint64_t came, wrong, late;
};

static void publish(void *arg)
{
    struct meeting *m = arg;

    m->published++;
}

static void meet_again_and_again(void *arg)
{
    struct meeting *m = arg;

    for (uint32_t round = 1; round <= m->rounds; round++) {
        uint64_t limit = arch_stamp_loose() + time_ms_to_ticks(DEADLINE_MS);

        atomic_fetch_add_explicit(&m->came, 1, memory_order_relaxed);
        if (!barrier_meet(&m->barrier, publish, m, limit)) {
            atomic_fetch_add_explicit(&m->late, 1, memory_order_relaxed);
            return;
        }
        /* Everybody has come this often, and `published` is this round's: a plain read. */
        if (atomic_load_explicit(&m->came, memory_order_relaxed) <
                (uint64_t)round * m->barrier.members ||
            m->published != round)
            atomic_fetch_add_explicit(&m->wrong, 1, memory_order_relaxed);
        /* A second meeting: nobody begins the next round before all have looked. */
        if (!barrier_meet(&m->barrier, NULL, NULL, limit))
            atomic_fetch_add_explicit(&m->late, 1, memory_order_relaxed);
    }
}

static void all_meet(struct ktest *t)
{
    struct meeting m = {.rounds = t->full ? ROUNDS_FULL : ROUNDS};
    uint32_t cpus = cpumask_count(&cpus_online);

    barrier_init(&m.barrier, cpus);
    ktest_run_all(t, meet_again_and_again, &m, RUN_MS);
    EXPECT_EQ(t, atomic_load(&m.came), (uint64_t)m.rounds * cpus);
    EXPECT_EQ(t, m.published, m.rounds);
    EXPECT_EQ(t, atomic_load(&m.wrong), 0);
    EXPECT_EQ(t, atomic_load(&m.late), 0);
}
KTEST(bench_barrier, all_meet, KTEST_QUICK);

static void a_missing_one_is_noticed(struct ktest *t)
{
    struct barrier barrier;
    uint64_t begin = arch_stamp(), wait = time_ms_to_ticks(2);

    barrier_init(&barrier, 2);
    EXPECT(t, !barrier_meet(&barrier, NULL, NULL, begin + wait));
    EXPECT(t, arch_stamp() - begin >= wait);
}
KTEST(bench_barrier, a_missing_one_is_noticed, KTEST_QUICK);
