/* SPDX-License-Identifier: Apache-2.0 */
/* The queued spinlock: one at a time, first come first served, trying, nesting; and its profile. */
#include "core/spinlock.h"

#include "core/lock_profile.h"
#include "core/percpu.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/wait.h"

#define RUN_MS 60000u
#define WAIT_MS 30000u
#define TAIL_SHIFT 16u

LOCK_CLASS(outer_class, "test outer"); /* before "test inner" */
LOCK_CLASS(inner_class, "test inner");
static SPINLOCK_STATIC(outer_lock, outer_class);
static SPINLOCK_STATIC(inner_lock, inner_class);

struct shared {
    uint32_t rounds;
    uint64_t outer_count, inner_count; /* plain: the locks are all that protects them */
    _Atomic uint32_t irqs_open;
};

static void add_under_lock(void *arg)
{
    struct shared *shared = arg;

    for (uint32_t i = 0; i < shared->rounds; i++) {
        spin_lock(&outer_lock);
        shared->outer_count++;
        spin_unlock(&outer_lock);
    }
}

static uint32_t rounds_of(const struct ktest *t)
{
    return ktest_rounds(t, 20 + 2000 / cpumask_count(&cpus_online), 20000);
}

static void one_at_a_time(struct ktest *t)
{
    struct shared shared = {.rounds = rounds_of(t)};

    ktest_run_all(t, add_under_lock, &shared, RUN_MS);
    EXPECT_EQ(t, shared.outer_count, (uint64_t)shared.rounds * cpumask_count(&cpus_online));
    EXPECT_EQ(t, outer_lock.word, 0);
}
KTEST(spinlock, one_at_a_time, KTEST_QUICK);

static void nest_under_lock(void *arg)
{
    struct shared *shared = arg;

    for (uint32_t i = 0; i < shared->rounds; i++) {
        unsigned long state = spin_lock_irqsave(&outer_lock);

        shared->outer_count++;
        spin_lock(&inner_lock);
        shared->inner_count++;
        if (irqs_enabled())
            atomic_fetch_add_explicit(&shared->irqs_open, 1, memory_order_relaxed);
        spin_unlock(&inner_lock);
        spin_unlock_irqrestore(&outer_lock, state);
        spin_lock(&inner_lock); /* the inner one is fought for, too */
        shared->inner_count++;
        spin_unlock(&inner_lock);
    }
}

static void nested_with_interrupts_masked(struct ktest *t)
{
    struct shared shared = {.rounds = rounds_of(t)};
    bool before = irqs_enabled();

    ktest_run_all(t, nest_under_lock, &shared, RUN_MS);
    EXPECT_EQ(t, shared.outer_count, (uint64_t)shared.rounds * cpumask_count(&cpus_online));
    EXPECT_EQ(t, shared.inner_count, 2 * shared.outer_count);
    EXPECT_EQ(t, shared.irqs_open, 0);
    EXPECT_EQ(t, irqs_enabled(), before);
}
KTEST(spinlock, nested_with_interrupts_masked, KTEST_QUICK);

static void trying(struct ktest *t)
{
    bool got = spin_trylock(&outer_lock);

    EXPECT(t, got);
    EXPECT(t, !spin_trylock(&outer_lock));
    if (got)
        spin_unlock(&outer_lock);
    got = spin_trylock(&outer_lock);
    EXPECT(t, got);
    if (got)
        spin_unlock(&outer_lock);
    EXPECT_EQ(t, outer_lock.word, 0);
}
KTEST(spinlock, trying, KTEST_QUICK);

/* --- first come, first served --- */

#define QUEUE_CPUS_MAX 64u

/* The boot CPU holds the lock and lets the others in one by one: the next is called when the lock's
 * tail shows that the one before waits. They must get it in that order. */
struct queue {
    _Atomic uint32_t called; /* the CPU that may queue now */
    uint32_t nr_cpus;
    uint32_t got; /* under the lock */
    uint32_t order[QUEUE_CPUS_MAX];
    _Atomic uint32_t late;
};

static void call_all(struct queue *q)
{
    for (uint32_t cpu = 1; cpu < q->nr_cpus; cpu++) {
        uint32_t word = atomic_load_explicit(&outer_lock.word, memory_order_relaxed);
        struct wait_state wait = {0};

        atomic_store_explicit(&q->called, cpu, memory_order_release);
        wait_wake(&q->called);
        while ((atomic_load_explicit(&outer_lock.word, memory_order_relaxed) ^ word) >>
                   TAIL_SHIFT ==
               0)
            if (!wait_step(&wait, &outer_lock.word, word))
                return;
    }
}

static void queue_up(void *arg)
{
    struct queue *q = arg;
    uint32_t me = this_cpu_id();

    if (me >= q->nr_cpus)
        return;
    if (me == 0) {
        call_all(q);
        spin_unlock(&outer_lock); /* taken before the others were started */
        return;
    }
    if (!wait_for_value(&q->called, me, WAIT_MS)) {
        atomic_fetch_add_explicit(&q->late, 1, memory_order_relaxed);
        return;
    }
    spin_lock(&outer_lock);
    q->order[q->got++] = me;
    spin_unlock(&outer_lock);
}

static void first_come_first_served(struct ktest *t)
{
    struct queue *q = kzalloc(sizeof(*q));
    uint32_t online = cpumask_count(&cpus_online);

    if (!EXPECT(t, q != NULL))
        return;
    q->nr_cpus = MIN(online, QUEUE_CPUS_MAX);
    if (online != nr_cpus || online == 1) {
        ktest_skip(t, "needs 2 CPUs or more, all of them online");
        kfree(q);
        return;
    }
    spin_lock(&outer_lock);
    ktest_run_all(t, queue_up, q, RUN_MS);
    EXPECT_EQ(t, q->late, 0);
    EXPECT_EQ(t, q->got, q->nr_cpus - 1);
    for (uint32_t i = 0; i < q->got; i++)
        EXPECT_EQ(t, q->order[i], i + 1);
    EXPECT_EQ(t, outer_lock.word, 0);
    kfree(q);
}
KTEST(spinlock, first_come_first_served, KTEST_QUICK);

/* --- profile --- */

static void profile_counts_what_happened(struct ktest *t)
{
    struct shared shared = {.rounds = rounds_of(t)};
    uint64_t cpus = cpumask_count(&cpus_online);
    struct lock_profile outer, inner;

    lock_profile_begin();
    ktest_run_all(t, nest_under_lock, &shared, RUN_MS);
    lock_profile_sum(&outer_class, &outer);
    lock_profile_sum(&inner_class, &inner);
    lock_profile_end();

    EXPECT_EQ(t, shared.inner_count, 2 * shared.outer_count);
    EXPECT_EQ(t, outer.acquisitions, shared.rounds * cpus);
    EXPECT_EQ(t, inner.acquisitions, 2 * shared.rounds * cpus);
    EXPECT(t, outer.contentions < outer.acquisitions);
    EXPECT(t, inner.contentions <= inner.acquisitions);
    EXPECT(t, outer.wait_max_ticks <= outer.wait_ticks);
    EXPECT(t, outer.hold_ticks > 0);
    if (cpus == 1) {
        EXPECT_EQ(t, outer.contentions, 0);
        EXPECT_EQ(t, outer.wait_ticks, 0);
    }
    EXPECT_EQ(t, outer_lock.word, 0);

    /* Outside a pass nothing is counted any more. */
    add_under_lock(&shared);
    lock_profile_sum(&outer_class, &inner);
    EXPECT_EQ(t, inner.acquisitions, outer.acquisitions);
}
KTEST(spinlock, profile_counts_what_happened, KTEST_QUICK);

/* A waiter that certainly waits is counted as such: the boot CPU holds the lock until it queues. */
static void hold_until_queued(void *arg)
{
    struct wait_state wait = {0};
    uint32_t word;

    if (this_cpu_id() != 0) {
        spin_lock(&outer_lock);
        spin_unlock(&outer_lock);
        return;
    }
    while (!((word = atomic_load_explicit(&outer_lock.word, memory_order_relaxed)) >> TAIL_SHIFT))
        if (!wait_step(&wait, &outer_lock.word, word))
            break;
    spin_unlock(&outer_lock);
}

static void profile_counts_a_wait(struct ktest *t)
{
    uint32_t pair[2] = {0, cpumask_next(&cpus_online, 1)};
    struct lock_profile p;

    if (pair[1] == UINT32_MAX) {
        ktest_skip(t, "needs 2 CPUs");
        return;
    }
    lock_profile_begin();
    spin_lock(&outer_lock);
    ktest_run_on(t, pair, 2, hold_until_queued, NULL, RUN_MS);
    lock_profile_sum(&outer_class, &p);
    lock_profile_end();
    EXPECT_EQ(t, p.acquisitions, 2);
    EXPECT_EQ(t, p.contentions, 1);
    EXPECT_EQ(t, p.wait_ticks, p.wait_max_ticks);
    EXPECT(t, p.hold_ticks > 0);
}
KTEST(spinlock, profile_counts_a_wait, KTEST_QUICK);

/* Locks initialised during a pass are profiled, and still work after it. */
static void profiled_lock_outlives_its_pass(struct ktest *t)
{
    struct spinlock lock;
    bool got;

    lock_profile_begin();
    spin_lock_init(&lock, &inner_class);
    spin_lock(&lock);
    spin_unlock(&lock);
    lock_profile_end();
    EXPECT(t, lock.word != 0);
    spin_lock(&lock);
    EXPECT(t, !spin_trylock(&lock));
    spin_unlock(&lock);
    got = spin_trylock(&lock);
    EXPECT(t, got);
    if (got)
        spin_unlock(&lock);
}
KTEST(spinlock, profiled_lock_outlives_its_pass, KTEST_QUICK);
