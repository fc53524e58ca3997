/* SPDX-License-Identifier: Apache-2.0 */
/* Every lazy design (activate != NULL of counters/design.h): exact before activation, whoever adds;
 * activation beside updates, reads and other activations loses nothing; without memory it changes
 * nothing. */
#include <stdatomic.h>

#include <arch/percpu.h>

#include "core/errno.h"
#include "core/percpu_area.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "counters/design.h"

#define RUN_MS 60000u
#define NR 6u /* more than share lines */

struct lazy_object {
    const struct counter_design *design;
    void *counters;
};

static void *counter_of(const struct lazy_object *o, unsigned i)
{
    return (char *)o->counters + i * o->design->counter_bytes;
}

static bool object_make(struct ktest *t, struct lazy_object *o, int64_t amount)
{
    o->counters = kzalloc(NR * o->design->counter_bytes);
    if (!EXPECT(t, o->counters != NULL))
        return false;
    if (EXPECT_EQ(t, o->design->init_many(o->counters, amount, NR), 0))
        return true;
    kfree(o->counters);
    return false;
}

static void object_free(struct lazy_object *o)
{
    o->design->destroy_many(o->counters, NR);
    kfree(o->counters);
}

static void for_each_lazy(struct ktest *t, void (*check)(struct ktest *, struct lazy_object *))
{
    unsigned found = 0;

    for (REGISTRY_EACH(counter_designs, const struct counter_design, p))
        if ((*p)->activate) {
            struct lazy_object o = {.design = *p};

            found++;
            check(t, &o);
        }
    EXPECT(t, found > 0);
}

/* --- before activation --- */

static void add_everywhere(void *arg)
{
    struct lazy_object *o = arg;

    for (int64_t i = 1; i <= 500; i++)
        o->design->add(counter_of(o, (unsigned)i % NR), i);
}

static int64_t added_to(unsigned counter)
{
    int64_t sum = 0;

    for (int64_t i = 1; i <= 500; i++)
        sum += i % NR == counter ? i : 0;
    return sum * (int64_t)cpumask_count(&cpus_online);
}

static void check_exact(struct ktest *t, struct lazy_object *o)
{
    struct percpu_stats before, now;

    percpu_area_stats(&before);
    if (!object_make(t, o, -3))
        return;
    ktest_run_all(t, add_everywhere, o, RUN_MS);
    percpu_area_stats(&now);
    EXPECT_EQ(t, now.areas_live, before.areas_live);
    for (unsigned i = 0; i < NR; i++) {
        int64_t total = added_to(i) - 3;

        EXPECT_EQ(t, o->design->read(counter_of(o, i)), total);
        EXPECT_EQ(t, o->design->sum(counter_of(o, i)), total);
        EXPECT_EQ(t, o->design->compare(counter_of(o, i), total), 0);
        EXPECT_EQ(t, o->design->compare(counter_of(o, i), total + 1), -1);
        EXPECT_EQ(t, o->design->compare(counter_of(o, i), total - 1), 1);
        o->design->set(counter_of(o, i), i);
        EXPECT_EQ(t, o->design->read(counter_of(o, i)), i);
    }
    object_free(o);
}

static void exact_before_activation(struct ktest *t)
{
    for_each_lazy(t, check_exact);
}
KTEST(counter_lazy, exact_before_activation, KTEST_QUICK);

static void check_values_kept(struct ktest *t, struct lazy_object *o)
{
    if (!object_make(t, o, 1ll << 40))
        return;
    ktest_run_all(t, add_everywhere, o, RUN_MS);
    EXPECT_EQ(t, o->design->activate(o->counters, NR), 0);
    EXPECT_EQ(t, o->design->activate(o->counters, NR), 0); /* again: nothing happens */
    for (unsigned i = 0; i < NR; i++) {
        EXPECT_EQ(t, o->design->read(counter_of(o, i)), (1ll << 40) + added_to(i));
        EXPECT_EQ(t, o->design->sum(counter_of(o, i)), (1ll << 40) + added_to(i));
    }
    ktest_run_all(t, add_everywhere, o, RUN_MS);
    for (unsigned i = 0; i < NR; i++)
        EXPECT_EQ(t, o->design->sum(counter_of(o, i)), (1ll << 40) + 2 * added_to(i));
    object_free(o);
}

static void activation_keeps_values(struct ktest *t)
{
    for_each_lazy(t, check_values_kept);
}
KTEST(counter_lazy, activation_keeps_values, KTEST_QUICK);

/* --- no memory --- */

static void check_failures(struct ktest *t, struct lazy_object *o)
{
    struct percpu_stats before, now;
    uint64_t k = 0, counted;
    int error;

    percpu_area_stats(&before);
    if (!object_make(t, o, 5))
        return;
    do {
        fail_injection_set(++k);
        error = o->design->activate(o->counters, NR);
        counted = fail_injection_set(0);
        EXPECT_EQ(t, error, counted >= k ? -CS_ENOMEM : 0);
        o->design->add(counter_of(o, 1), 1); /* usable, exact while it failed */
        EXPECT_EQ(t, o->design->sum(counter_of(o, 1)), 5 + (int64_t)k);
        if (!error)
            break;
        percpu_area_stats(&now);
        EXPECT_EQ(t, now.areas_live, before.areas_live);
        EXPECT_EQ(t, o->design->read(counter_of(o, 1)), 5 + (int64_t)k);
    } while (k < 100);
    EXPECT_EQ(t, error, 0);
    EXPECT(t, k > 2);
    object_free(o);
    percpu_area_stats(&now);
    EXPECT_EQ(t, now.areas_live, before.areas_live);
}

static void without_memory_nothing_changes(struct ktest *t)
{
    for_each_lazy(t, check_failures);
}
KTEST(counter_lazy, without_memory_nothing_changes, KTEST_QUICK);

/* --- beside updates --- */

struct race {
    struct lazy_object *o;
    uint64_t seed;
    uint32_t rounds;
    _Atomic int64_t total;
    _Atomic uint32_t failed, wrong;
};

/* Before activation and after, all that any CPU can see is what can have been added. */
static void race_read(struct race *race, unsigned counter)
{
    int64_t limit =
        (int64_t)race->rounds * 100 * nr_cpus + (int64_t)race->o->design->error_bound(nr_cpus);
    int64_t value = race->o->design->read(counter_of(race->o, counter));

    if (value > limit || value < -limit)
        atomic_fetch_add_explicit(&race->wrong, 1, memory_order_relaxed);
}

static void race_play(void *arg)
{
    struct race *race = arg;
    const struct counter_design *design = race->o->design;
    uint32_t activate_at;
    int64_t total = 0;
    struct random r;

    random_seed(&r, race->seed + this_cpu_id());
    activate_at = random_below(&r, race->rounds);
    for (uint32_t i = 0; i < race->rounds; i++) {
        int64_t amount = (int64_t)random_below(&r, 200) - 100;

        if (i == activate_at) {
            if (design->activate(race->o->counters, NR))
                atomic_fetch_add_explicit(&race->failed, 1, memory_order_relaxed);
        }
        design->add(counter_of(race->o, i % NR), amount);
        total += amount;
        if (!(i % 16))
            race_read(race, i % NR);
    }
    atomic_fetch_add_explicit(&race->total, total, memory_order_relaxed);
}

static void check_race(struct ktest *t, struct lazy_object *o)
{
    struct race race = {.o = o, .rounds = ktest_rounds(t, 200, 2000)};
    struct percpu_stats before, now;

    percpu_area_stats(&before);
    for (uint32_t i = 0; i < (t->full ? 300u : 10u); i++) {
        int64_t sum = 0;

        race.seed = t->seed + i * 1000;
        atomic_store_explicit(&race.total, 0, memory_order_relaxed);
        if (!object_make(t, o, 0))
            return;
        ktest_run_all(t, race_play, &race, RUN_MS);
        for (unsigned c = 0; c < NR; c++)
            sum += o->design->sum(counter_of(o, c));
        EXPECT_EQ(t, sum, atomic_load_explicit(&race.total, memory_order_relaxed));
        object_free(o);
    }
    percpu_area_stats(&now);
    EXPECT_EQ(t, now.areas_live, before.areas_live);
    EXPECT_EQ(t, atomic_load_explicit(&race.failed, memory_order_relaxed), 0);
    EXPECT_EQ(t, atomic_load_explicit(&race.wrong, memory_order_relaxed), 0);
}

static void activation_beside_updates(struct ktest *t)
{
    for_each_lazy(t, check_race);
}
KTEST(counter_lazy, activation_beside_updates, KTEST_QUICK);
