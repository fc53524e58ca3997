/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "churn": counters of objects that live for different times (facts F2's lifecycle, as a
 * machine with processes has it). Each CPU keeps a working set of objects; one operation takes one
 * away and makes another in its place. Most places are short-lived, one in eight holds an object
 * for long, so that the allocators fill the holes between what stays.
 *
 * I1. An object has kept the amount it began with when the storm ends: checked for all that live.
 */
#include "bench/storm.h"
#include "core/errno.h"
#include "core/panic.h"
#include "core/slab.h"
#include "counters/design.h"

#define CHURN_LIVE 256u     /* objects of a CPU; a power of two */
#define CHURN_LONG_EVERY 8u /* the places that are long-lived */
#define CHURN_LONG_LIFE 64u /* their lives are so many times as long, in the mean */

struct churn_cpu {
    void *counters; /* CHURN_LIVE objects in a row */
    uint64_t born;  /* operations: an object's amount is when it was born */
    uint64_t amounts[CHURN_LIVE];
};

static size_t churn_object_bytes(void)
{
    return COUNTERS_PER_MM * this_design.counter_bytes;
}

static void *churn_object(const struct churn_cpu *cpu, uint32_t place)
{
    return (char *)cpu->counters + place * churn_object_bytes();
}

static int churn_make(struct storm_run *run, struct churn_cpu *cpu, uint32_t place)
{
    void *counters = churn_object(cpu, place);
    int error;

    cpu->amounts[place] = ++cpu->born;
    error = this_design.init_many(counters, (int64_t)cpu->born, COUNTERS_PER_MM);
    if (!error && run->cs->arg[0]) {
        error = counter_activate(&this_design, counters, COUNTERS_PER_MM);
        if (error)
            this_design.destroy_many(counters, COUNTERS_PER_MM);
    }
    return error;
}

static void churn_destroy(struct churn_cpu *cpu, uint32_t live)
{
    for (uint32_t place = 0; place < live; place++)
        this_design.destroy_many(churn_object(cpu, place), COUNTERS_PER_MM);
    kfree(cpu->counters);
    kfree(cpu);
}

static int churn_setup(struct storm_run *run)
{
    _Atomic uint32_t *wrong = kzalloc(CACHE_LINE_BYTES);

    run->shared = wrong;
    return wrong ? 0 : -CS_ENOMEM;
}

static int churn_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct churn_cpu *cpu = kzalloc(sizeof(*cpu));

    if (!cpu)
        return -CS_ENOMEM;
    cpu->counters = kzalloc(CHURN_LIVE * churn_object_bytes());
    for (uint32_t place = 0; place < CHURN_LIVE; place++)
        if (!cpu->counters || churn_make(run, cpu, place)) {
            churn_destroy(cpu, place);
            return -CS_ENOMEM;
        }
    me->private = cpu;
    return 0;
}

/* A place to be renewed; a long-lived one seldom. */
static uint32_t churn_pick(struct random *random)
{
    uint64_t r = random_next(random);
    uint32_t place = r % CHURN_LIVE;

    if (place % CHURN_LONG_EVERY == 0 && (r >> 32) % CHURN_LONG_LIFE)
        place++;
    return place;
}

static void churn_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    struct churn_cpu *cpu = me->private;

    do {
        uint32_t place = churn_pick(&me->random);

        this_design.destroy_many(churn_object(cpu, place), COUNTERS_PER_MM);
        if (churn_make(run, cpu, place))
            panic("churn/%s: no memory for %u counters", this_design.name, COUNTERS_PER_MM);
    } while (--n);
}

static void churn_teardown_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct churn_cpu *cpu = me->private;
    _Atomic uint32_t *wrong = run->shared;

    for (uint32_t i = 0; i < CHURN_LIVE * COUNTERS_PER_MM; i++) {
        void *counter = (char *)cpu->counters + i * this_design.counter_bytes;

        if (this_design.sum(counter) != (int64_t)cpu->amounts[i / COUNTERS_PER_MM])
            atomic_fetch_add_explicit(wrong, 1, memory_order_relaxed);
    }
    churn_destroy(cpu, CHURN_LIVE);
}

static int churn_teardown(struct storm_run *run)
{
    _Atomic uint32_t *wrong = run->shared;
    int result = atomic_load_explicit(wrong, memory_order_relaxed) ? -CS_EIO : 0;

    kfree(run->shared);
    return result;
}

static const struct storm_case churn_cases[] = {
    {.name = "live=256/threads=2", .arg = {1}},
    {.name = "live=256/threads=1", .arg = {0}},
};

static const struct storm churn_storm = {
    .name = "churn",
    .counter = &this_design,
    .compare_with = "flat-single",
    .summary = "4 counters destroyed and 4 made in a working set where some live long",
    .cases = churn_cases,
    .nr_cases = ARRAY_LEN(churn_cases),
    .rank = 32,
    .setup = churn_setup,
    .setup_cpu = churn_setup_cpu,
    .loop = churn_loop,
    .teardown_cpu = churn_teardown_cpu,
    .teardown = churn_teardown,
    .profile_locks = true,
};
STORM(churn_storm);
