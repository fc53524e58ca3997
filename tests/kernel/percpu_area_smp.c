/* SPDX-License-Identifier: Apache-2.0 */
/* The per-CPU area allocator on all CPUs at once: each writes what is its own into CPU 0's copy of
 * its areas, so that an area handed out twice shows (and is a race for the sanitizer). */
#include <stdatomic.h>

#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/smp.h"
#include "core/string.h"

#define HELD 24u
#define RUN_MS 60000u

struct crowd {
    uint64_t seed;
    uint32_t rounds;
    _Atomic uint64_t wrong, failed;
};

struct held {
    percpu_area_t area;
    uint32_t bytes;
};

static uint64_t check_and_free(struct held *h, uint8_t stamp)
{
    const uint8_t *copy = percpu_at(h->area, 0);
    uint64_t wrong = 0;

    for (uint32_t i = 0; h->area && i < h->bytes; i++)
        wrong += copy[i] != stamp;
    percpu_area_free(h->area);
    h->area = 0;
    return wrong;
}

static bool take_and_stamp(struct held *h, uint32_t bytes, uint8_t stamp)
{
    h->bytes = bytes;
    h->area = percpu_area_alloc(bytes, 4);
    if (!h->area)
        return false;
    memset(percpu_at(h->area, 0), stamp, bytes);
    return true;
}

static void come_and_go(void *arg)
{
    struct crowd *crowd = arg;
    struct held held[HELD] = {{0}};
    struct random random;
    uint8_t stamp = (uint8_t)(this_cpu_id() * 7 + 1);
    uint64_t wrong = 0, failed = 0;

    random_seed(&random, crowd->seed + this_cpu_id());
    for (uint32_t round = 0; round < crowd->rounds; round++) {
        struct held *h = &held[random_below(&random, HELD)];
        uint32_t bytes = random_below(&random, 20) ? 4 + random_below(&random, 60)
                                                   : 1 + random_below(&random, 3000);

        if (h->area)
            wrong += check_and_free(h, stamp);
        else
            failed += !take_and_stamp(h, bytes, stamp);
    }
    for (uint32_t i = 0; i < HELD; i++)
        wrong += check_and_free(&held[i], stamp);
    atomic_fetch_add_explicit(&crowd->wrong, wrong, memory_order_relaxed);
    atomic_fetch_add_explicit(&crowd->failed, failed, memory_order_relaxed);
}

static void all_cpus_at_once(struct ktest *t)
{
    struct crowd crowd = {.seed = t->seed};
    struct percpu_stats before, after;

    /* Zeroing costs rounds × CPUs²: many CPUs take turns enough with few rounds each. */
    crowd.rounds = (t->full ? 20000u : 1000u) / nr_cpus + 6;
    percpu_area_stats(&before);
    ktest_run_all(t, come_and_go, &crowd, RUN_MS);
    EXPECT_EQ(t, crowd.wrong, 0);
    EXPECT_EQ(t, crowd.failed, 0);
    percpu_area_stats(&after);
    EXPECT_EQ(t, after.areas_live, before.areas_live);
    EXPECT_EQ(t, after.bytes_live, before.bytes_live);
    EXPECT_EQ(t, after.bad_frees, before.bad_frees);
    EXPECT_EQ(t, percpu_area_check(), 0);
    (void)percpu_area_trim();
}
KTEST(percpu_area, all_cpus_at_once, KTEST_QUICK);
