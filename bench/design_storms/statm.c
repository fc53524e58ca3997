/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "statm": reading /proc/PID/statm of many processes (facts F2): the precise totals of the 4
 * counters of one mm, picked at random out of so many that they are cold, shown as numbers that are
 * never negative.
 *
 * Where memory does not reach for as many mms as the case names, there are fewer: the value mms of
 * each line says how many.
 *
 * I1. Every counter keeps its amount: checked for all at the end.
 */
#include "bench/storm.h"
#include "core/errno.h"
#include "core/pages.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/design.h"

#define STATM_AMOUNT 1000
#define STATM_PART 32u /* of the free memory, for each design at most so much */

enum statm_arg { STATM_ARG_MMS, STATM_ARG_THREADED };

struct statm_shared {
    void **mms;
    uint32_t nr;
};

static void *statm_counter(void *mm, unsigned i)
{
    return (char *)mm + i * this_design.counter_bytes;
}

static uint32_t statm_mms(const struct storm_run *run)
{
    uint64_t each = sizeof(void *) + COUNTERS_PER_MM * this_design.counter_bytes + 64 +
                    2 * this_design.memory_bytes(nr_cpus, COUNTERS_PER_MM);
    uint64_t fit;
    struct pages_stats stats;

    pages_stats(&stats);
    fit = (stats.free_pages << ARCH_PAGE_SHIFT) / STATM_PART / each;
    return (uint32_t)MAX(MIN(fit, (uint64_t)run->cs->arg[STATM_ARG_MMS]), 1ull);
}

static void statm_free(struct statm_shared *shared)
{
    for (uint32_t i = 0; shared->mms && i < shared->nr && shared->mms[i]; i++) {
        this_design.destroy_many(shared->mms[i], COUNTERS_PER_MM);
        kfree(shared->mms[i]);
    }
    kfree(shared->mms);
    kfree(shared);
}

static void *statm_make(bool threaded)
{
    void *mm = kzalloc(MAX(COUNTERS_PER_MM * this_design.counter_bytes, (size_t)CACHE_LINE_BYTES));
    int error;

    if (!mm)
        return NULL;
    error = this_design.init_many(mm, STATM_AMOUNT, COUNTERS_PER_MM);
    if (!error && threaded)
        error = counter_activate(&this_design, mm, COUNTERS_PER_MM);
    if (!error)
        return mm;
    this_design.destroy_many(mm, COUNTERS_PER_MM);
    kfree(mm);
    return NULL;
}

static int statm_setup(struct storm_run *run)
{
    struct statm_shared *shared = kzalloc(sizeof(*shared));

    if (!shared)
        return -CS_ENOMEM;
    shared->nr = statm_mms(run);
    shared->mms = kzalloc(shared->nr * sizeof(shared->mms[0]));
    for (uint32_t i = 0; i < shared->nr; i++)
        if (!shared->mms || !(shared->mms[i] = statm_make(run->cs->arg[STATM_ARG_THREADED]))) {
            statm_free(shared);
            return -CS_ENOMEM;
        }
    run->shared = shared;
    return 0;
}

static void statm_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    const struct statm_shared *shared = run->shared;
    uint64_t pages = 0;

    do {
        void *mm = shared->mms[random_below(&me->random, shared->nr)];

        for (unsigned i = 0; i < COUNTERS_PER_MM; i++)
            pages += (uint64_t)counter_positive(this_design.sum(statm_counter(mm, i)));
    } while (--n);
    me->sink += pages;
}

static unsigned statm_metrics(struct storm_run *run, struct storm_metric out[STORM_METRICS_MAX])
{
    const struct statm_shared *shared = run->shared;

    out[0] = (struct storm_metric){"mms", (int64_t)shared->nr * 1000};
    return 1;
}

static int statm_teardown(struct storm_run *run)
{
    struct statm_shared *shared = run->shared;
    uint64_t wrong = 0;

    for (uint32_t i = 0; i < shared->nr; i++)
        for (unsigned c = 0; c < COUNTERS_PER_MM; c++)
            wrong += this_design.sum(statm_counter(shared->mms[i], c)) != STATM_AMOUNT;
    statm_free(shared);
    return wrong ? -CS_EIO : 0;
}

#define STATM_SINGLE .published = "1000..16000 single"

static const struct storm_case statm_cases[] = {
    {.name = "mms=1000/threads=1", .arg = {1000, 0}, STATM_SINGLE},
    {.name = "mms=16000/threads=1", .arg = {16000, 0}, STATM_SINGLE},
    {.name = "mms=1000/threads=2", .arg = {1000, 1}},
    {.name = "mms=16000/threads=2", .arg = {16000, 1}},
};

static const struct storm statm_storm = {
    .name = "statm",
    .counter = &this_design,
    .measures_updates = true,
    .compare_with = "flat",
    .summary = "the precise totals of the 4 counters of an mm, of many that are cold",
    .cases = statm_cases,
    .nr_cases = ARRAY_LEN(statm_cases),
    .rank = 27,
    .setup = statm_setup,
    .loop = statm_loop,
    .metrics = statm_metrics,
    .teardown = statm_teardown,
    .published_bench = "statm-read",
    .published_variant = "flat=flat,tree-lazy=tree-lazy",
};
STORM(statm_storm);
