/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "update": what one counter update costs (facts F2).
 *
 *   obj=mm       all CPUs update the 4 counters of one shared object, in rotation
 *   obj=private  each CPU updates one counter of its own
 *   inc=p1       +1
 *   inc=pm32     +32 or -32 at random (pm512 likewise), signs from a table made before
 *
 * Each CPU starts at a residual of its own, as after a long run: otherwise +1 carries everywhere at
 * once, and a wide batch is not reached by steps of 32 within a window.
 *
 * I1. At the end each counter's precise sum is what was added to it: all that the loops did is
 *     known from how many operations each CPU made (update_added), so nothing is counted in them.
 *
 * The loop around the design's own add is three instructions for one counter: count, branch, and
 * whatever loads the counter's address.
 */
#include "bench/storm.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/slab.h"
#include "counters/design.h"

#define UPDATE_SIGNS 256u /* a multiple of COUNTERS_PER_MM: the same counter meets the same sign */
#define UPDATE_RESIDUALS 2048u
#define UPDATE_STEPS 8u /* of up to 512: as far as a batch of 2048 */
#define UPDATE_STEP_MAX 512u

enum update_arg { UPDATE_ARG_SHARED, UPDATE_ARG_AMOUNT };

struct update_shared {
    void *counters; /* COUNTERS_PER_MM of them; NULL in the private cases */
    _Atomic int64_t expected[COUNTERS_PER_MM];
    _Atomic uint32_t wrong; /* private counters whose sum was not what it should be */
};

struct update_cpu {
    void *counter;                   /* the private one, or the first of the shared ones */
    uint64_t ops;                    /* made so far: place in rotation and table */
    int64_t before[COUNTERS_PER_MM]; /* added by setup */
    int64_t amounts[UPDATE_SIGNS];
};

static void *update_counters_alloc(unsigned nr)
{
    void *counters = kzalloc(MAX(nr * this_design.counter_bytes, (size_t)CACHE_LINE_BYTES));

    if (!counters)
        return NULL;
    if (!this_design.init_many(counters, 0, nr)) {
        if (!counter_activate(&this_design, counters, nr))
            return counters;
        this_design.destroy_many(counters, nr);
    }
    kfree(counters);
    return NULL;
}

static void update_counters_free(void *counters, unsigned nr)
{
    this_design.destroy_many(counters, nr);
    kfree(counters);
}

static int update_setup(struct storm_run *run)
{
    struct update_shared *shared = kzalloc(sizeof(*shared));

    if (!shared)
        return -CS_ENOMEM;
    if (run->cs->arg[UPDATE_ARG_SHARED]) {
        shared->counters = update_counters_alloc(COUNTERS_PER_MM);
        if (!shared->counters) {
            kfree(shared);
            return -CS_ENOMEM;
        }
    }
    run->shared = shared;
    return 0;
}

/* The counters of the object that a CPU updates. */
static unsigned update_nr(const struct storm_run *run)
{
    return run->cs->arg[UPDATE_ARG_SHARED] ? COUNTERS_PER_MM : 1;
}

static void *update_nth(void *counters, unsigned i)
{
    return (char *)counters + i * this_design.counter_bytes;
}

static void update_before(struct update_cpu *cpu, unsigned i, int64_t amount)
{
    this_design.add(update_nth(cpu->counter, i), amount);
    cpu->before[i] += amount;
}

/* Each CPU starts somewhere on the way to its next carry. */
static void update_start_anywhere(struct storm_run *run, struct storm_cpu *me)
{
    uint32_t amount = (uint32_t)run->cs->arg[UPDATE_ARG_AMOUNT];
    uint32_t most = UPDATE_STEP_MAX / amount;

    for (unsigned i = 0; i < update_nr(run); i++) {
        if (amount == 1)
            for (uint32_t n = random_below(&me->random, UPDATE_RESIDUALS); n > 0; n--)
                update_before(me->private, i, 1);
        else
            for (unsigned n = 0; n < UPDATE_STEPS; n++)
                update_before(me->private, i,
                              ((int64_t)random_below(&me->random, 2 * most + 1) - most) * amount);
    }
}

static int update_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct update_shared *shared = run->shared;
    struct update_cpu *cpu = kzalloc(sizeof(*cpu));
    int64_t amount = run->cs->arg[UPDATE_ARG_AMOUNT];

    if (!cpu)
        return -CS_ENOMEM;
    cpu->counter = shared->counters ? shared->counters : update_counters_alloc(1);
    if (!cpu->counter) {
        kfree(cpu);
        return -CS_ENOMEM;
    }
    me->private = cpu;
    if (this_design.enter)
        this_design.enter(cpu->counter, update_nr(run));
    for (unsigned i = 0; i < UPDATE_SIGNS; i++)
        cpu->amounts[i] = random_next(&me->random) >> 63 ? amount : -amount;
    update_start_anywhere(run, me);
    return 0;
}

static void update_loop_private_1(struct update_cpu *cpu, uint64_t n)
{
    void *counter = cpu->counter;

    do
        this_design.add(counter, 1);
    while (--n);
}

static void update_loop_private_table(struct update_cpu *cpu, uint64_t n)
{
    void *counter = cpu->counter;

    for (uint64_t i = cpu->ops, end = i + n; i < end; i++)
        this_design.add(counter, cpu->amounts[i % UPDATE_SIGNS]);
}

static void update_loop_shared_1(struct update_cpu *cpu, uint64_t n)
{
    void *counters = cpu->counter;

    for (uint64_t i = cpu->ops, end = i + n; i < end; i++)
        this_design.add(update_nth(counters, i % COUNTERS_PER_MM), 1);
}

static void update_loop_shared_table(struct update_cpu *cpu, uint64_t n)
{
    void *counters = cpu->counter;

    for (uint64_t i = cpu->ops, end = i + n; i < end; i++)
        this_design.add(update_nth(counters, i % COUNTERS_PER_MM), cpu->amounts[i % UPDATE_SIGNS]);
}

static void update_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    struct update_cpu *cpu = me->private;
    bool by_one = run->cs->arg[UPDATE_ARG_AMOUNT] == 1;

    if (run->cs->arg[UPDATE_ARG_SHARED] && by_one)
        update_loop_shared_1(cpu, n);
    else if (run->cs->arg[UPDATE_ARG_SHARED])
        update_loop_shared_table(cpu, n);
    else if (by_one)
        update_loop_private_1(cpu, n);
    else
        update_loop_private_table(cpu, n);
    cpu->ops += n;
}

/* What operations first, first + step, … < end of this CPU added: whole tables, then the rest. */
static int64_t update_added(const struct storm_run *run, const struct update_cpu *cpu,
                            unsigned first, unsigned step)
{
    uint64_t tables = cpu->ops / UPDATE_SIGNS, rest = cpu->ops % UPDATE_SIGNS;
    int64_t whole = 0, part = 0;

    for (unsigned i = first; i < UPDATE_SIGNS; i += step) {
        int64_t amount = run->cs->arg[UPDATE_ARG_AMOUNT] == 1 ? 1 : cpu->amounts[i];

        whole += amount;
        part += i < rest ? amount : 0;
    }
    return whole * (int64_t)tables + part;
}

static void update_teardown_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct update_shared *shared = run->shared;
    struct update_cpu *cpu = me->private;

    if (this_design.leave)
        this_design.leave(cpu->counter, update_nr(run));
    if (shared->counters) {
        for (unsigned i = 0; i < COUNTERS_PER_MM; i++)
            atomic_fetch_add_explicit(&shared->expected[i],
                                      cpu->before[i] + update_added(run, cpu, i, COUNTERS_PER_MM),
                                      memory_order_relaxed);
    } else {
        if (this_design.sum(cpu->counter) != cpu->before[0] + update_added(run, cpu, 0, 1))
            atomic_fetch_add_explicit(&shared->wrong, 1, memory_order_relaxed);
        update_counters_free(cpu->counter, 1);
    }
    kfree(cpu);
}

static int update_teardown(struct storm_run *run)
{
    struct update_shared *shared = run->shared;
    uint32_t wrong = atomic_load_explicit(&shared->wrong, memory_order_relaxed);

    for (unsigned i = 0; shared->counters && i < COUNTERS_PER_MM; i++) {
        int64_t sum = this_design.sum(update_nth(shared->counters, i));
        int64_t expected = atomic_load_explicit(&shared->expected[i], memory_order_relaxed);

        if (sum == expected)
            continue;
        log_warn("update/%s: counter %u sums to %lld, %lld was added", this_design.name, i,
                 (long long)sum, (long long)expected);
        wrong++;
    }
    if (shared->counters)
        update_counters_free(shared->counters, COUNTERS_PER_MM);
    kfree(shared);
    return wrong ? -CS_EIO : 0;
}

static const struct storm_case update_cases[] = {
    {.name = "obj=mm/inc=p1", .arg = {1, 1}, .published = "mm+1", .in_quick = true},
    {.name = "obj=mm/inc=pm32", .arg = {1, 32}, .published = "mm+-32", .in_quick = true},
    {.name = "obj=mm/inc=pm512", .arg = {1, 512}, .published = "mm+-512"},
    {.name = "obj=private/inc=p1", .arg = {0, 1}, .in_quick = true},
    {.name = "obj=private/inc=pm32", .arg = {0, 32}, .published = "private+-32"},
    {.name = "obj=private/inc=pm512", .arg = {0, 512}},
};

static const struct storm update_storm = {
    .name = "update",
    .counter = &this_design,
    .measures_updates = true,
    .compare_with = "flat",
    .summary = "one update of a counter: of an object shared by all CPUs, or private",
    .cases = update_cases,
    .nr_cases = ARRAY_LEN(update_cases),
    .rank = 20,
    .setup = update_setup,
    .setup_cpu = update_setup_cpu,
    .loop = update_loop,
    .teardown_cpu = update_teardown_cpu,
    .teardown = update_teardown,
    .published_bench = "update",
};
STORM(update_storm);
