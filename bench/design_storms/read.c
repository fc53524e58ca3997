/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "read": what it costs to ask a counter for its total, approximately and precisely, while
 * nobody updates it. All CPUs read the 4 counters of one shared object in rotation.
 */
#include "bench/storm.h"
#include "core/errno.h"
#include "core/slab.h"
#include "counters/design.h"

#define READ_AMOUNT 1000

enum read_arg { READ_ARG_PRECISE };

static int read_setup(struct storm_run *run)
{
    void *counters = kzalloc(MAX(COUNTERS_PER_MM * this_design.counter_bytes,
                                 (size_t)CACHE_LINE_BYTES));

    if (!counters)
        return -CS_ENOMEM;
    if (this_design.init_many(counters, READ_AMOUNT, COUNTERS_PER_MM)) {
        kfree(counters);
        return -CS_ENOMEM;
    }
    run->shared = counters;
    return 0;
}

static void *read_nth(const struct storm_run *run, uint64_t i)
{
    return (char *)run->shared + i % COUNTERS_PER_MM * this_design.counter_bytes;
}

/* Each CPU leaves a part of its own, as a counter in use has. */
static int read_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    for (unsigned i = 0; i < COUNTERS_PER_MM; i++)
        this_design.add(read_nth(run, i), 1);
    return 0;
}

static void read_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    uint64_t total = 0;

    if (run->cs->arg[READ_ARG_PRECISE])
        for (uint64_t i = 0; i < n; i++)
            total += (uint64_t)this_design.sum(read_nth(run, i));
    else
        for (uint64_t i = 0; i < n; i++)
            total += (uint64_t)this_design.read(read_nth(run, i));
    me->sink += total;
}

static int read_teardown(struct storm_run *run)
{
    int64_t expected = READ_AMOUNT + (int64_t)run->nr_cpus;
    int result = 0;

    for (unsigned i = 0; i < COUNTERS_PER_MM; i++)
        if (this_design.sum(read_nth(run, i)) != expected)
            result = -CS_EIO;
    this_design.destroy_many(run->shared, COUNTERS_PER_MM);
    kfree(run->shared);
    return result;
}

static const struct storm_case read_cases[] = {
    {.name = "sum=approximate", .arg = {0}, .in_quick = true},
    {.name = "sum=precise", .arg = {1}, .published = "one counter", .in_quick = true},
};

static const struct storm read_storm = {
    .name = "read",
    .counter = &this_design,
    .measures_updates = true,
    .compare_with = "flat",
    .summary = "reading a counter's total, approximate and precise",
    .cases = read_cases,
    .nr_cases = ARRAY_LEN(read_cases),
    .rank = 25,
    .setup = read_setup,
    .setup_cpu = read_setup_cpu,
    .loop = read_loop,
    .teardown = read_teardown,
    .published_bench = "precise-sum",
    .published_variant = "flat=flat",
};
STORM(read_storm);
