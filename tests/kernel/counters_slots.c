/* SPDX-License-Identifier: Apache-2.0 */
/* The counter design "slots": the error follows how many CPUs run at once, not where they are;
 * numbers are not shared; without memory for a slot all is exact. */
#include <stdatomic.h>

#include <arch/percpu.h>

#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/string.h"
#include "counters/design.h"

#define RUN_MS 60000u

struct crowd {
    const struct counter_design *design;
    void *counters;
    uint64_t seed;
    uint32_t rounds;
    _Atomic int64_t total;
    _Atomic uint32_t inside, most_inside;
};

static const struct counter_design *slots_design(struct ktest *t)
{
    for (REGISTRY_EACH(counter_designs, const struct counter_design, p))
        if (!strcmp((*p)->name, "slots"))
            return *p;
    EXPECT(t, !"no design slots");
    return NULL;
}

static bool crowd_make(struct ktest *t, struct crowd *crowd)
{
    *crowd = (struct crowd){.design = slots_design(t), .seed = t->seed};
    if (!crowd->design)
        return false;
    crowd->counters = kzalloc(COUNTERS_PER_MM * crowd->design->counter_bytes);
    return EXPECT(t, crowd->counters != NULL) &&
           EXPECT_EQ(t, crowd->design->init_many(crowd->counters, 0, COUNTERS_PER_MM), 0);
}

static void crowd_free(struct crowd *crowd)
{
    crowd->design->destroy_many(crowd->counters, COUNTERS_PER_MM);
    kfree(crowd->counters);
}

static uint64_t crowd_error(struct crowd *crowd)
{
    int64_t error = crowd->design->read(crowd->counters) - crowd->design->sum(crowd->counters);

    return (uint64_t)(error < 0 ? -error : error);
}

/* A slot's largest residual. */
static uint64_t half(const struct crowd *crowd)
{
    return crowd->design->error_bound(nr_cpus) / nr_cpus;
}

/* A task that hops over all CPUs, and leaves on each as much as it can. */
static void hop(void *arg)
{
    struct crowd *crowd = arg;

    crowd->design->enter(crowd->counters, COUNTERS_PER_MM);
    for (uint64_t i = 0; i < half(crowd); i++)
        crowd->design->add(crowd->counters, 1);
    crowd->design->leave(crowd->counters, COUNTERS_PER_MM);
}

static void one_task_leaves_one_residual(struct ktest *t)
{
    struct crowd crowd;

    if (!crowd_make(t, &crowd))
        return;
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        if (!cpumask_has(&cpus_online, cpu))
            continue;
        ktest_run_on(t, &cpu, 1, hop, &crowd, RUN_MS);
        EXPECT(t, crowd_error(&crowd) <= half(&crowd));
    }
    EXPECT_EQ(t, crowd.design->sum(crowd.counters),
              (int64_t)(half(&crowd) * cpumask_count(&cpus_online)));
    crowd_free(&crowd);
}
KTEST(counter_slots, one_task_leaves_one_residual, KTEST_QUICK);

/* Comes and goes; the largest number inside at once is what the error may be by. */
static void come_and_go(void *arg)
{
    struct crowd *crowd = arg;
    int64_t total = 0;
    struct random r;

    random_seed(&r, crowd->seed + this_cpu_id());
    for (uint32_t i = 0; i < crowd->rounds; i++) {
        uint32_t inside = atomic_fetch_add_explicit(&crowd->inside, 1, memory_order_relaxed) + 1;
        uint32_t most = atomic_load_explicit(&crowd->most_inside, memory_order_relaxed);

        while (most < inside &&
               !atomic_compare_exchange_weak_explicit(&crowd->most_inside, &most, inside,
                                                      memory_order_relaxed, memory_order_relaxed))
            ;
        crowd->design->enter(crowd->counters, COUNTERS_PER_MM);
        for (uint32_t k = random_below(&r, 20); k > 0; k--) {
            int64_t amount = (int64_t)random_below(&r, 100) - 30;

            crowd->design->add(crowd->counters, amount);
            total += amount;
        }
        crowd->design->leave(crowd->counters, COUNTERS_PER_MM);
        atomic_fetch_sub_explicit(&crowd->inside, 1, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&crowd->total, total, memory_order_relaxed);
}

static void error_follows_tasks_at_once(struct ktest *t)
{
    struct crowd crowd;

    if (!crowd_make(t, &crowd))
        return;
    /* All meet at two words: many CPUs meet often enough with few rounds each. */
    crowd.rounds = ktest_rounds(t, 300, 20000) / ((nr_cpus + 31) / 32);
    ktest_run_all(t, come_and_go, &crowd, RUN_MS);
    EXPECT_EQ(t, crowd.design->sum(crowd.counters),
              atomic_load_explicit(&crowd.total, memory_order_relaxed));
    EXPECT(t, crowd_error(&crowd) <=
                  half(&crowd) * atomic_load_explicit(&crowd.most_inside, memory_order_relaxed));
    crowd_free(&crowd);
}
KTEST(counter_slots, error_follows_tasks_at_once, KTEST_QUICK);

static void without_memory_for_a_slot_it_is_exact(struct ktest *t)
{
    struct crowd crowd;

    if (!crowd_make(t, &crowd))
        return;
    fail_injection_set(1);
    crowd.design->enter(crowd.counters, COUNTERS_PER_MM);
    EXPECT_EQ(t, fail_injection_set(0), 1);
    crowd.design->add(crowd.counters, 7);
    EXPECT_EQ(t, crowd.design->read(crowd.counters), 7);
    EXPECT_EQ(t, crowd.design->sum(crowd.counters), 7);
    crowd.design->leave(crowd.counters, COUNTERS_PER_MM);
    hop(&crowd); /* the number is free again, and there is memory now */
    EXPECT_EQ(t, crowd_error(&crowd), half(&crowd));
    EXPECT_EQ(t, crowd.design->sum(crowd.counters), 7 + (int64_t)half(&crowd));
    crowd_free(&crowd);
}
KTEST(counter_slots, without_memory_for_a_slot_it_is_exact, KTEST_QUICK);

/* At no CPU count a larger bound than flat's, which the design is not bound to be in memory. */
static void never_less_accurate_than_flat(struct ktest *t)
{
    const struct counter_design *design = slots_design(t);

    for (uint32_t cpus = 1; design && cpus <= 8192; cpus++)
        if (!EXPECT(t, design->error_bound(cpus) <= (uint64_t)cpus * (MAX(32u, 2 * cpus) - 1)))
            return;
}
KTEST(counter_slots, never_less_accurate_than_flat, KTEST_QUICK);
