/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every design that promises a linearizable sum (sum_is_linearizable of counters/design.h), against
 * recorded histories of updates that run beside it.
 *
 * Chain: the CPUs but the first add one after the other, each after the other's return, so that the
 * total passes through known values in a known order: P(0), P(1), … The first CPU sums all the
 * while. It knows how many adds had returned when it began (c0) and that at most one more than had
 * returned when it ended (c1) was begun: the sum must be one of P(c0) … P(c1 + 1), and not older
 * than the one before. A sum that sees an add and not one that came before it, or that misses a
 * carry, gives another value: the amounts are such that few other combinations are prefixes.
 *
 * Crowd: all but the first add at once, without order, amounts of one sign; what each had returned
 * and begun is announced. A sum lies between what was returned when it began and what was begun
 * when it ended.
 */
#include <stdatomic.h>

#include <arch/percpu.h>

#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/wait.h"
#include "counters/design.h"

#define RUN_MS 60000u
#define TURN_MS 20000u

struct history {
    const struct counter_design *design;
    void *counter;
    uint32_t steps;
    uint32_t updaters;
    int64_t *prefix;                             /* steps + 2 of them */
    cacheline_aligned _Atomic uint32_t returned; /* chain: adds that have */
    _Atomic uint32_t sums, wrong, late;          /* late: a CPU that never got its turn */
};

static void for_each_linearizable(struct ktest *t,
                                  void (*check)(struct ktest *, const struct counter_design *))
{
    unsigned found = 0;

    if (cpumask_count(&cpus_online) != nr_cpus || nr_cpus < 2) {
        ktest_skip(t, "needs two CPUs and all of them running");
        return;
    }
    for (REGISTRY_EACH(counter_designs, const struct counter_design, p))
        if ((*p)->sum_is_linearizable) {
            found++;
            check(t, *p);
        }
    EXPECT(t, found > 0);
}

static bool counter_make(struct ktest *t, struct history *h)
{
    h->counter = kzalloc(MAX(h->design->counter_bytes, (size_t)CACHE_LINE_BYTES));
    if (!EXPECT(t, h->counter != NULL))
        return false;
    if (EXPECT_EQ(t, h->design->init_many(h->counter, 0, 1), 0)) {
        if (EXPECT_EQ(t, counter_activate(h->design, h->counter, 1), 0))
            return true;
        h->design->destroy_many(h->counter, 1);
    }
    kfree(h->counter);
    return false;
}

static void counter_free(struct history *h)
{
    h->design->destroy_many(h->counter, 1);
    kfree(h->counter);
}

/* --- chain --- */

static bool is_prefix(const struct history *h, int64_t value, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k <= last && k <= h->steps; k++)
        if (h->prefix[k] == value)
            return true;
    return false;
}

static void chain_sum(struct history *h)
{
    uint32_t c0 = 0;

    while (c0 < h->steps && !atomic_load_explicit(&h->late, memory_order_relaxed)) {
        uint32_t c1;
        int64_t value;

        c0 = atomic_load_explicit(&h->returned, memory_order_acquire);
        value = h->design->sum(h->counter);
        c1 = atomic_load_explicit(&h->returned, memory_order_acquire);
        atomic_fetch_add_explicit(&h->sums, 1, memory_order_relaxed);
        if (!is_prefix(h, value, c0, c1 + 1))
            atomic_fetch_add_explicit(&h->wrong, 1, memory_order_relaxed);
        if (c0 == c1)
            cpu_relax();
    }
}

static void chain_add(struct history *h, uint32_t me)
{
    for (uint32_t k = me; k < h->steps; k += h->updaters) {
        if (!wait_for_value(&h->returned, k, TURN_MS)) {
            atomic_store_explicit(&h->late, 1, memory_order_relaxed);
            return;
        }
        h->design->add(h->counter, h->prefix[k + 1] - h->prefix[k]);
        atomic_store_explicit(&h->returned, k + 1, memory_order_release);
        wait_wake(&h->returned);
    }
}

static void chain_play(void *arg)
{
    uint32_t cpu = this_cpu_id();

    if (cpu == 0)
        chain_sum(arg);
    else if (cpu <= ((struct history *)arg)->updaters)
        chain_add(arg, cpu - 1);
}

/* Sizes around every batch, and pairs that undo one another on different CPUs. */
static void chain_amounts(struct history *h, struct random *r)
{
    static const int64_t sizes[] = {1, 31, 33, 95, 257, 500, 513, 2049, 70001};

    for (uint32_t k = 0; k < h->steps; k++) {
        int64_t size = sizes[random_below(r, ARRAY_LEN(sizes))] + random_below(r, 7);

        h->prefix[k + 1] = k % 2 ? h->prefix[k - 1] + (int64_t)random_below(r, 3)
                                 : h->prefix[k] + (random_next(r) & 1 ? size : -size);
    }
}

static void check_chain(struct ktest *t, const struct counter_design *design)
{
    struct history *h = kzalloc(sizeof(*h));
    struct random r;

    if (!EXPECT(t, h != NULL))
        return;
    h->design = design;
    h->steps = ktest_rounds(t, 200, 20000);
    h->updaters = MIN(nr_cpus - 1, 8u);
    h->prefix = kzalloc((h->steps + 2) * sizeof(*h->prefix));
    if (EXPECT(t, h->prefix != NULL) && counter_make(t, h)) {
        random_seed(&r, t->seed);
        chain_amounts(h, &r);
        ktest_run_all(t, chain_play, h, RUN_MS);
        EXPECT_EQ(t, atomic_load_explicit(&h->late, memory_order_relaxed), 0);
        EXPECT_EQ(t, atomic_load_explicit(&h->wrong, memory_order_relaxed), 0);
        EXPECT(t, atomic_load_explicit(&h->sums, memory_order_relaxed) > 0);
        EXPECT_EQ(t, h->design->sum(h->counter), h->prefix[h->steps]);
        counter_free(h);
    }
    kfree(h->prefix);
    kfree(h);
}

static void sums_of_a_chain_of_adds(struct ktest *t)
{
    for_each_linearizable(t, check_chain);
}
KTEST(counter_linear, sums_of_a_chain_of_adds, KTEST_QUICK);

/* --- crowd --- */

struct announced {
    cacheline_aligned _Atomic int64_t begun, returned;
};

struct crowd {
    struct history history;
    struct announced *of; /* each CPU */
    int64_t sign;
    _Atomic uint32_t running;
};

static int64_t crowd_total(struct crowd *crowd, bool begun)
{
    int64_t total = 0;

    for (uint32_t cpu = 1; cpu < nr_cpus; cpu++)
        total += atomic_load_explicit(begun ? &crowd->of[cpu].begun : &crowd->of[cpu].returned,
                                      memory_order_acquire);
    return total;
}

static void crowd_sum(struct crowd *crowd)
{
    struct history *h = &crowd->history;
    int64_t before = 0;

    do {
        int64_t returned = crowd_total(crowd, false);
        int64_t value = crowd->sign * h->design->sum(h->counter);
        int64_t begun = crowd_total(crowd, true);

        atomic_fetch_add_explicit(&h->sums, 1, memory_order_relaxed);
        if (value < returned || value > begun || value < before)
            atomic_fetch_add_explicit(&h->wrong, 1, memory_order_relaxed);
        before = value;
    } while (atomic_load_explicit(&crowd->running, memory_order_acquire));
}

/* Announced before with what is about to be added: sequentially consistent with the sum's loads, as
 * what was begun must not look smaller than what a sum has seen. */
static void crowd_add(struct crowd *crowd)
{
    struct announced *mine = &crowd->of[this_cpu_id()];
    int64_t total = 0;

    for (uint32_t i = 0; i < crowd->history.steps; i++) {
        int64_t amount = 29 + (int64_t)(i % 5);

        atomic_store_explicit(&mine->begun, total + amount, memory_order_seq_cst);
        crowd->history.design->add(crowd->history.counter, crowd->sign * amount);
        total += amount;
        atomic_store_explicit(&mine->returned, total, memory_order_release);
    }
    atomic_fetch_sub_explicit(&crowd->running, 1, memory_order_release);
}

static void crowd_play(void *arg)
{
    if (this_cpu_id() == 0)
        crowd_sum(arg);
    else
        crowd_add(arg);
}

static void check_crowd(struct ktest *t, const struct counter_design *design, int64_t sign)
{
    struct crowd *crowd = kzalloc(sizeof(*crowd));
    struct history *h;

    if (!EXPECT(t, crowd != NULL))
        return;
    h = &crowd->history;
    h->design = design;
    h->steps = ktest_rounds(t, 500, 50000);
    crowd->sign = sign;
    crowd->of = kzalloc(nr_cpus * sizeof(*crowd->of));
    atomic_store_explicit(&crowd->running, nr_cpus - 1, memory_order_relaxed);
    if (EXPECT(t, crowd->of != NULL) && counter_make(t, h)) {
        ktest_run_all(t, crowd_play, crowd, RUN_MS);
        EXPECT_EQ(t, atomic_load_explicit(&h->wrong, memory_order_relaxed), 0);
        EXPECT_EQ(t, design->sum(h->counter), sign * crowd_total(crowd, false));
        counter_free(h);
    }
    kfree(crowd->of);
    kfree(crowd);
}

static void check_crowds(struct ktest *t, const struct counter_design *design)
{
    check_crowd(t, design, 1);
    check_crowd(t, design, -1);
}

static void sums_beside_a_crowd(struct ktest *t)
{
    for_each_linearizable(t, check_crowds);
}
KTEST(counter_linear, sums_beside_a_crowd, KTEST_QUICK);
