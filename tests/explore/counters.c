/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every counter design of the registry, so a new one is explored by existing: two CPUs update the
 * counters of an object, the second one activates it at some time, a third one updates, reads and
 * sums beside them. Nothing is lost, and the approximation stays within the design's bounds.
 */
#include "arch/sim/explore/scenario.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/design.h"

#define COUNTERS 3u
#define UPDATES 4u /* of each CPU */
#define LARGEST 2000
#define START 100000

struct update {
    uint32_t from, until; /* steps; until: 0 while it runs */
    uint32_t counter;
    int64_t amount;
};

static const struct counter_design *design;
static char *counters;
static EXPLORE_GHOST struct update updates[EXPLORE_CPUS_MAX * UPDATES];
static EXPLORE_GHOST uint32_t nr_updates;

static const char *design_name(uint32_t variant)
{
    for (REGISTRY_EACH(counter_designs, const struct counter_design, p))
        if (!variant--)
            return (*p)->name;
    return NULL;
}

static void counters_begin(uint32_t variant)
{
    for (REGISTRY_EACH(counter_designs, const struct counter_design, p))
        if (!variant--)
            design = *p;
    counters = kzalloc(COUNTERS * design->counter_bytes);
    EXPLORE_CHECK(counters && !design->init_many(counters, START, COUNTERS), "no memory");
    explore_name(counters, COUNTERS * design->counter_bytes, "counters");
}

static void *counter_at(uint32_t i)
{
    return counters + i * design->counter_bytes;
}

static void add(uint32_t counter, int64_t amount)
{
    struct update *u = &updates[nr_updates++];

    *u = (struct update){.from = explore_now(), .counter = counter, .amount = amount};
    design->add(counter_at(counter), amount);
    u->until = explore_now();
}

/* At least `value` is how far from what it should be, whatever the running updates are? */
static uint64_t distance(uint32_t counter, int64_t value, uint32_t from)
{
    int64_t sure = START, maybe = 0, off;

    for (uint32_t i = 0; i < nr_updates; i++) {
        const struct update *u = &updates[i];

        if (u->counter != counter)
            continue;
        if (u->until && u->until < from)
            sure += u->amount;
        else
            maybe += u->amount < 0 ? -u->amount : u->amount;
    }
    off = value > sure ? value - sure : sure - value;
    return off > maybe ? (uint64_t)(off - maybe) : 0;
}

static void look(uint32_t counter)
{
    uint32_t from = explore_now();
    bool sums = explore_random(2);
    int64_t value = sums ? design->sum(counter_at(counter)) : design->read(counter_at(counter));
    uint64_t bound = sums ? 0 : design->error_bound(nr_cpus);

    if (sums && design->sum_transient_bound)
        bound += design->sum_transient_bound(nr_cpus, LARGEST);
    if (!sums && design->transient_bound)
        bound += design->transient_bound(nr_cpus, LARGEST);
    if (explore_memory_is() == EXPLORE_SC)
        EXPLORE_CHECK(distance(counter, value, from) <= bound,
                      "%s is %lld: further off than the bound, %llu",
                      sums ? "sum" : "approximation", (long long)value, (unsigned long long)bound);
}

static int64_t some_amount(void)
{
    static const int64_t sizes[] = {1, 20, 32, 300, LARGEST};
    int64_t amount = sizes[explore_random(sizeof(sizes) / sizeof(sizes[0]))];

    return explore_random(3) ? amount : -amount;
}

static void counters_part(uint32_t i)
{
    uint32_t activates_at = i == 1 ? explore_random(UPDATES + 1) : UPDATES;
    bool enters = design->enter && explore_random(4);
    /* Activation takes long, beside an update: half of the updates come while it is published. */
    uint32_t waits_at = design->activate && i != 1 ? explore_random(2 * UPDATES) : UPDATES;

    for (uint32_t k = 0; k < UPDATES; k++) {
        if (enters && k % 2 == 0)
            design->enter(counters, COUNTERS);
        if (k == activates_at)
            EXPLORE_CHECK(!counter_activate(design, counters, COUNTERS), "not activated");
        if (k == waits_at)
            explore_await_store(counters, COUNTERS * design->counter_bytes);
        if (i == 2 && k % 2)
            look(explore_random(COUNTERS));
        else
            add(explore_random(COUNTERS), some_amount());
        if (enters && k % 2)
            design->leave(counters, COUNTERS);
    }
}

static void counters_end(void)
{
    for (uint32_t c = 0; c < COUNTERS; c++) {
        int64_t total = START, sum = design->sum(counter_at(c)), off;

        for (uint32_t i = 0; i < nr_updates; i++)
            total += updates[i].counter == c ? updates[i].amount : 0;
        EXPLORE_CHECK(sum == total, "%s: the sum of counter %u is %lld, added was %lld",
                      design->name, c, (long long)sum, (long long)total);
        off = design->read(counter_at(c)) - total;
        EXPLORE_CHECK((uint64_t)(off < 0 ? -off : off) <= design->error_bound(nr_cpus),
                      "%s: the approximation of counter %u is off by %lld", design->name, c,
                      (long long)off);
    }
}

static const struct explore_scenario counters_scenario = {
    .name = "counter",
    .summary = "updates, activation, reads and sums of a counter design",
    .cpus = 3,
    .variant = design_name,
    .begin = counters_begin,
    .part = counters_part,
    .end = counters_end,
};
EXPLORE_SCENARIO(counters_scenario);
