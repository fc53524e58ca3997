/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every counter design must do with values, under the subject of the design: compiled behind
 * each one (counters/design.h), so that what is tested is what the storms time, inlined alike.
 */
#include <stdatomic.h>

#include <arch/percpu.h>

#include "core/random.h"
#include "core/smp.h"
#include "tests/design_tests/counter_object.h"

#define CVALUES_RUN_MS 60000u

/* Amounts that stay below every batch, lie around the usual ones, and go beyond. */
static int64_t cvalues_amount(struct random *r)
{
    static const int64_t sizes[] = {1, 2, 31, 32, 33, 63, 64, 255, 512, 4096, 1 << 20};
    int64_t amount = sizes[random_below(r, ARRAY_LEN(sizes))];

    return random_next(r) & 1 ? amount : -amount;
}

static void cvalues_start(struct ktest *t)
{
    static const int64_t amounts[] = {0, 1, -1, 1ll << 40, INT64_MAX, INT64_MIN};

    for (uint32_t i = 0; i < ARRAY_LEN(amounts); i++) {
        struct counter_object o;

        if (!counter_object_make(t, &o, amounts[i], 6))
            return;
        for (unsigned c = 0; c < o.nr; c++) {
            EXPECT_EQ(t, this_design.read(counter_of(&o, c)), amounts[i]);
            EXPECT_EQ(t, this_design.sum(counter_of(&o, c)), amounts[i]);
        }
        counter_object_free(&o);
    }
}
DESIGN_KTEST(cvalues_start, KTEST_QUICK);

/* Six counters of one object, in any order, against an array. */
static void cvalues_model(struct ktest *t)
{
    struct counter_object o;
    int64_t model[6] = {0};
    unsigned wrong = 0;
    struct random r;

    if (!counter_object_make(t, &o, 0, ARRAY_LEN(model)))
        return;
    random_seed(&r, t->seed);
    for (uint32_t i = 0; i < (t->full ? 100000 : 500); i++) {
        unsigned c = random_below(&r, o.nr);
        int64_t amount = cvalues_amount(&r);

        this_design.add(counter_of(&o, c), amount);
        model[c] += amount;
        wrong += this_design.sum(counter_of(&o, c)) != model[c];
        wrong += counter_error(counter_of(&o, c)) > this_design.error_bound(nr_cpus);
    }
    for (unsigned c = 0; c < o.nr; c++)
        EXPECT_EQ(t, this_design.sum(counter_of(&o, c)), model[c]);
    EXPECT_EQ(t, wrong, 0);
    counter_object_free(&o);
}
DESIGN_KTEST(cvalues_model, KTEST_QUICK);

/* A job for all CPUs at once. */
struct cvalues_job {
    struct counter_object o;
    uint64_t seed;
    uint32_t rounds;
    int64_t each; /* added `rounds` times on every CPU; 0: random amounts */
    _Atomic int64_t total[COUNTERS_PER_MM];
};

static void cvalues_play(void *arg)
{
    struct cvalues_job *job = arg;
    struct random r;

    random_seed(&r, job->seed + this_cpu_id());
    counter_enter(&job->o);
    for (uint32_t i = 0; i < job->rounds; i++) {
        int64_t amount = job->each ? job->each : cvalues_amount(&r);
        unsigned c = i % job->o.nr;

        this_design.add(counter_of(&job->o, c), amount);
        atomic_fetch_add_explicit(&job->total[c], amount, memory_order_relaxed);
    }
    counter_leave(&job->o);
}

/* Runs a round on all CPUs and checks what must hold at rest. */
static void cvalues_round(struct ktest *t, struct cvalues_job *job)
{
    ktest_run_all(t, cvalues_play, job, CVALUES_RUN_MS);
    for (unsigned c = 0; c < job->o.nr; c++) {
        void *counter = counter_of(&job->o, c);

        EXPECT_EQ(t, this_design.sum(counter),
                  atomic_load_explicit(&job->total[c], memory_order_relaxed));
        EXPECT(t, counter_error(counter) <= this_design.error_bound(nr_cpus));
    }
}

static void cvalues_parallel(struct ktest *t)
{
    struct cvalues_job job = {.seed = t->seed, .rounds = ktest_rounds(t, 200, 100000)};

    if (!counter_object_make(t, &job.o, 0, COUNTERS_PER_MM))
        return;
    cvalues_round(t, &job);
    cvalues_round(t, &job);
    counter_object_free(&job.o);
}
DESIGN_KTEST(cvalues_parallel, KTEST_QUICK);

/* Every order against the exact one, where the approximation decides and where it just does not. */
static void cvalues_check_compare(struct ktest *t, void *counter)
{
    const int64_t sum = this_design.sum(counter), read = this_design.read(counter);
    const int64_t margin = (int64_t)this_design.error_bound(nr_cpus);
    const int64_t around[] = {sum, read, read - margin, read + margin, sum - margin, sum + margin};
    unsigned wrong = 0;

    for (uint32_t i = 0; i < ARRAY_LEN(around); i++)
        for (int64_t value = around[i] - 1; value <= around[i] + 1; value++)
            wrong += this_design.compare(counter, value) != (sum > value) - (sum < value);
    EXPECT_EQ(t, wrong, 0);
    EXPECT_EQ(t, this_design.compare(counter, INT64_MAX), -1);
    EXPECT_EQ(t, this_design.compare(counter, INT64_MIN), 1);
}

/* Steps of one on every CPU, as many as a CPU's share of the bound: where the parts of the CPUs are
 * all that a design keeps back, this is the bound itself. */
static void cvalues_compare_at_margin(struct ktest *t)
{
    uint64_t share = this_design.error_bound(nr_cpus) / nr_cpus;

    for (int64_t each = -1; each <= 1; each += 2) {
        struct cvalues_job job = {.rounds = (uint32_t)share, .each = each};

        if (!counter_object_make(t, &job.o, 0, 1))
            return;
        cvalues_check_compare(t, counter_of(&job.o, 0));
        cvalues_round(t, &job);
        cvalues_check_compare(t, counter_of(&job.o, 0));
        counter_object_free(&job.o);
    }
}
DESIGN_KTEST(cvalues_compare_at_margin, KTEST_QUICK);

static void cvalues_compare_at_ends(struct ktest *t)
{
    static const int64_t values[] = {INT64_MAX, INT64_MIN, 0};
    struct counter_object o;

    if (!counter_object_make(t, &o, 0, 1))
        return;
    for (uint32_t i = 0; i < ARRAY_LEN(values); i++) {
        this_design.set(counter_of(&o, 0), values[i]);
        for (uint32_t k = 0; k < ARRAY_LEN(values); k++)
            EXPECT_EQ(t, this_design.compare(counter_of(&o, 0), values[k]),
                      (values[i] > values[k]) - (values[i] < values[k]));
    }
    counter_object_free(&o);
}
DESIGN_KTEST(cvalues_compare_at_ends, KTEST_QUICK);

/* Set forgets what the CPUs hold, and the other counters of the object keep theirs. */
static void cvalues_set(struct ktest *t)
{
    struct cvalues_job job = {.rounds = 70, .each = 5};

    if (!counter_object_make(t, &job.o, 0, 2))
        return;
    cvalues_round(t, &job);
    this_design.set(counter_of(&job.o, 1), -12345);
    EXPECT_EQ(t, this_design.read(counter_of(&job.o, 1)), -12345);
    EXPECT_EQ(t, this_design.sum(counter_of(&job.o, 1)), -12345);
    EXPECT_EQ(t, this_design.sum(counter_of(&job.o, 0)),
              atomic_load_explicit(&job.total[0], memory_order_relaxed));
    atomic_store_explicit(&job.total[1], -12345, memory_order_relaxed);
    cvalues_round(t, &job);
    counter_object_free(&job.o);
}
DESIGN_KTEST(cvalues_set, KTEST_QUICK);

/* 2^31 pages and more, in large and in small steps, and the ends of 64 bits. */
static void cvalues_large(struct ktest *t)
{
    static const int64_t amounts[] = {INT32_MAX,    1,         1,         1ll << 40,  31,
                                      -(1ll << 41), INT32_MIN, INT64_MAX, -INT64_MAX, -31};
    struct counter_object o;
    int64_t model = 0;

    if (!counter_object_make(t, &o, 0, 1))
        return;
    for (uint32_t i = 0; i < ARRAY_LEN(amounts); i++) {
        this_design.add(counter_of(&o, 0), amounts[i]);
        model = (int64_t)((uint64_t)model + (uint64_t)amounts[i]);
        EXPECT_EQ(t, this_design.sum(counter_of(&o, 0)), model);
        EXPECT(t, counter_error(counter_of(&o, 0)) <= this_design.error_bound(nr_cpus));
    }
    for (uint32_t i = 0; i < 200; i++)
        this_design.add(counter_of(&o, 0), (1ll << 31) - 1);
    EXPECT_EQ(t, this_design.sum(counter_of(&o, 0)), model + 200 * ((1ll << 31) - 1));
    counter_object_free(&o);
}
DESIGN_KTEST(cvalues_large, KTEST_QUICK);
