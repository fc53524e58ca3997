/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "lifecycle": what it costs to make and to take away the counters of an object (facts F1,
 * F2): init_many and destroy_many of 4, each CPU its own object, alone and all CPUs at once.
 *
 *   ctr=4             ready for more than one thread: lazy designs are activated ("eager")
 *   ctr=4/threads=1   an object that no second thread ever joins ("lazy")
 *
 * I1. A counter starts at its amount and keeps it: checked on each CPU's last object.
 */
#include "bench/storm.h"
#include "core/errno.h"
#include "core/panic.h"
#include "core/slab.h"
#include "counters/design.h"

#define LIFECYCLE_AMOUNT 7

/* Allocates what the case's object needs; the second step is nothing for designs that are not lazy. */
static always_inline int lifecycle_make(const struct storm_run *run, void *counters, int64_t amount)
{
    int error = this_design.init_many(counters, amount, COUNTERS_PER_MM);

    if (!error && this_design.activate && run->cs->arg[0]) {
        error = counter_activate(&this_design, counters, COUNTERS_PER_MM);
        if (error)
            this_design.destroy_many(counters, COUNTERS_PER_MM);
    }
    return error;
}

static int lifecycle_setup(struct storm_run *run)
{
    _Atomic uint32_t *wrong = kzalloc(CACHE_LINE_BYTES);

    run->shared = wrong;
    return wrong ? 0 : -CS_ENOMEM;
}

static int lifecycle_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    me->private =
        kzalloc(MAX(COUNTERS_PER_MM * this_design.counter_bytes, (size_t)CACHE_LINE_BYTES));
    return me->private ? 0 : -CS_ENOMEM;
}

static void lifecycle_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    void *counters = me->private;

    do {
        if (lifecycle_make(run, counters, 0))
            panic("lifecycle/%s: no memory for %u counters", this_design.name, COUNTERS_PER_MM);
        this_design.destroy_many(counters, COUNTERS_PER_MM);
    } while (--n);
}

static uint32_t lifecycle_wrong(const struct storm_run *run, void *counters)
{
    uint32_t wrong = 0;

    if (lifecycle_make(run, counters, LIFECYCLE_AMOUNT))
        return 1;
    for (unsigned i = 0; i < COUNTERS_PER_MM; i++) {
        void *counter = (char *)counters + i * this_design.counter_bytes;

        wrong += this_design.sum(counter) != LIFECYCLE_AMOUNT;
    }
    this_design.destroy_many(counters, COUNTERS_PER_MM);
    return wrong;
}

static void lifecycle_teardown_cpu(struct storm_run *run, struct storm_cpu *me)
{
    _Atomic uint32_t *wrong = run->shared;

    atomic_fetch_add_explicit(wrong, lifecycle_wrong(run, me->private), memory_order_relaxed);
    kfree(me->private);
}

static int lifecycle_teardown(struct storm_run *run)
{
    _Atomic uint32_t *wrong = run->shared;
    int result = atomic_load_explicit(wrong, memory_order_relaxed) ? -CS_EIO : 0;

    kfree(run->shared);
    return result;
}

static const struct storm_case lifecycle_cases[] = {
    {.name = "ctr=4", .arg = {1}, .published = "alone,all-at-once", .in_quick = true},
    {.name = "ctr=4/threads=1", .arg = {0}},
};

static const struct storm lifecycle_storm = {
    .name = "lifecycle",
    .counter = &this_design,
    .compare_with = "flat-single",
    .summary = "init and destroy of the 4 counters of an object, each CPU its own",
    .cases = lifecycle_cases,
    .nr_cases = ARRAY_LEN(lifecycle_cases),
    .rank = 30,
    .setup = lifecycle_setup,
    .setup_cpu = lifecycle_setup_cpu,
    .loop = lifecycle_loop,
    .teardown_cpu = lifecycle_teardown_cpu,
    .teardown = lifecycle_teardown,
    .profile_locks = true,
    .published_bench = "init4",
};
STORM(lifecycle_storm);
