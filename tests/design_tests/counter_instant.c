/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every design beside updates, at every instant: one CPU reads over and over while the others add,
 * each announcing what it begins and what it has done (bench/announced.h). No read may be off the
 * totals that were possible by more than the design says: error_bound + transient_bound, and
 * sum_transient_bound for the sum. No order of two counters may be told that no total gives.
 */
#include <arch/percpu.h>
#include <arch/time.h>

#include "bench/announced.h"
#include "core/random.h"
#include "core/smp.h"
#include "core/time.h"
#include "tests/design_tests/counter_object.h"

#define CINSTANT_RUN_MS 60000u
#define CINSTANT_MOMENT_MAX (1ll << 50)

struct cinstant {
    struct counter_object o;
    struct announced *announced; /* by CPU number */
    uint64_t seed;
    uint32_t rounds;
    uint32_t largest; /* amounts, in size */
    bool both_signs;  /* every other CPU subtracts */
    uint64_t bound, sum_bound;
    int64_t moment;                /* what updates may add while the reader looks twice */
    unsigned looks, orders, wrong; /* of the reader */
    cacheline_aligned _Atomic uint32_t finished;
};

static void cinstant_update(struct cinstant *c, uint32_t cpu, struct random *random)
{
    int64_t size = 1 + (int64_t)random_below(random, c->largest);
    int64_t amount = c->both_signs && cpu % 2 ? -size : size;

    announced_begin(&c->announced[cpu], amount);
    this_design.add(counter_of(&c->o, 0), amount);
    announced_end(&c->announced[cpu], amount);
}

static uint64_t cinstant_distance(struct cinstant *c, int64_t (*value_of)(void *counter))
{
    struct announced_range range;
    int64_t value;

    announced_before(c->announced, nr_cpus, &range);
    value = value_of(counter_of(&c->o, 0));
    announced_after(c->announced, nr_cpus, &range);
    return announced_distance(&range, value);
}

/* Against values so far off that only the updates of a moment could bring the total there: where
 * those did not, as is known behind it, the order is certain. Where they did, the moment was longer
 * than thought (CPUs take turns): the next one is given twice as much. */
static bool cinstant_order_is_wrong(struct cinstant *c)
{
    const int64_t off = (int64_t)MAX(c->sum_bound, c->bound);
    struct announced_range range;
    int64_t near, below, above;
    bool is_above, is_below;

    announced_before(c->announced, nr_cpus, &range);
    near = range.low + range.high;
    below = near - off - c->moment;
    above = near + off + c->moment;
    is_above = this_design.compare(counter_of(&c->o, 0), below) == 1;
    is_below = this_design.compare(counter_of(&c->o, 0), above) == -1;
    announced_after(c->announced, nr_cpus, &range);
    if (below < range.low - off && above > range.high + off)
        c->orders++;
    else if (c->moment < CINSTANT_MOMENT_MAX)
        c->moment *= 2;
    return (below < range.low - off && !is_above) || (above > range.high + off && !is_below);
}

static void cinstant_look(struct cinstant *c)
{
    c->looks++;
    c->wrong += cinstant_distance(c, this_design.read) > c->bound;
    c->wrong += cinstant_distance(c, this_design.sum) > c->sum_bound;
    c->wrong += cinstant_order_is_wrong(c);
}

/* The CPU that began the run comes last to it, when the others are at work. */
static void cinstant_play(void *arg)
{
    struct cinstant *c = arg;
    uint32_t cpu = this_cpu_id(), others = cpumask_count(&cpus_online) - 1;
    uint64_t begin = arch_stamp_loose(), limit = time_ms_to_ticks(CINSTANT_RUN_MS / 2);
    struct random random;

    random_seed(&random, c->seed + cpu);
    if (cpu != 0) {
        for (uint32_t i = 0; i < c->rounds; i++)
            cinstant_update(c, cpu, &random);
        atomic_fetch_add_explicit(&c->finished, 1, memory_order_relaxed);
        return;
    }
    /* Relaxed: only says when to stop. */
    while ((atomic_load_explicit(&c->finished, memory_order_relaxed) < others || c->looks < 20) &&
           arch_stamp_loose() - begin < limit) {
        cinstant_update(c, cpu, &random);
        cinstant_look(c);
    }
}

static void cinstant_run(struct ktest *t, struct cinstant *c)
{
    struct announced_range range;

    c->moment = 64 * (int64_t)c->largest;
    c->bound = this_design.error_bound(nr_cpus);
    if (this_design.transient_bound)
        c->bound += this_design.transient_bound(nr_cpus, c->largest);
    c->sum_bound =
        this_design.sum_transient_bound ? this_design.sum_transient_bound(nr_cpus, c->largest) : 0;
    c->announced = kzalloc(nr_cpus * sizeof(c->announced[0]));
    if (!EXPECT(t, c->announced))
        return;
    if (counter_object_make(t, &c->o, 0, 1)) {
        ktest_run_all(t, cinstant_play, c, CINSTANT_RUN_MS);
        EXPECT(t, c->looks >= 20 && c->orders > 0);
        EXPECT_EQ(t, c->wrong, 0);
        announced_before(c->announced, nr_cpus, &range);
        EXPECT_EQ(t, this_design.sum(counter_of(&c->o, 0)), range.low + range.high);
        EXPECT(t, counter_error(counter_of(&c->o, 0)) <= this_design.error_bound(nr_cpus));
        counter_object_free(&c->o);
    }
    kfree(c->announced);
}

static uint32_t cinstant_rounds(const struct ktest *t)
{
    return ktest_rounds(t, 200, 100000);
}

static void cinstant_one_sign(struct ktest *t)
{
    struct cinstant c = {.seed = t->seed, .rounds = cinstant_rounds(t), .largest = 1};

    cinstant_run(t, &c);
}
DESIGN_KTEST(cinstant_one_sign, KTEST_QUICK);

static void cinstant_both_signs(struct ktest *t)
{
    struct cinstant c = {
        .seed = t->seed, .rounds = cinstant_rounds(t), .largest = 40, .both_signs = true};

    cinstant_run(t, &c);
}
DESIGN_KTEST(cinstant_both_signs, KTEST_QUICK);

/* Amounts that climb to the root at once. */
static void cinstant_large(struct ktest *t)
{
    struct cinstant c = {
        .seed = t->seed, .rounds = cinstant_rounds(t), .largest = 3000, .both_signs = true};

    cinstant_run(t, &c);
}
DESIGN_KTEST(cinstant_large, KTEST_FULL);
