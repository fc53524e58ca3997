/* SPDX-License-Identifier: Apache-2.0 */
/* The per-CPU area allocator's search does not get longer with the number of live areas, nor with
 * the holes between them; counted in chunks and words looked at. */
#include "core/percpu_area.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"

#define PAIRS 64u
/* Linux looks at one chunk, its block hints and a few words. The mean, with all hints to be learnt.
 */
#define STEPS_PER_PAIR_MAX 24u

static uint64_t steps_of_pairs(struct ktest *t, size_t bytes, size_t align)
{
    struct percpu_stats before, after;

    percpu_area_stats(&before);
    for (unsigned i = 0; i < PAIRS; i++) {
        percpu_area_t area = percpu_area_alloc(bytes, align);

        EXPECT(t, area != 0);
        percpu_area_free(area);
    }
    percpu_area_stats(&after);
    return after.search_steps - before.search_steps;
}

static void expect_cheap(struct ktest *t)
{
    static const struct {
        size_t bytes, align;
    } pair[] = {{4, 4}, {16, 4}, {64, 64}, {1000, 8}};

    for (unsigned i = 0; i < ARRAY_LEN(pair); i++) {
        uint64_t steps = steps_of_pairs(t, pair[i].bytes, pair[i].align);

        ktest_check(t, steps <= PAIRS * STEPS_PER_PAIR_MAX, __FILE__, __LINE__,
                    "%zu bytes: %llu steps for %u pairs", pair[i].bytes, (unsigned long long)steps,
                    PAIRS);
    }
}

static void with_live_areas(struct ktest *t, unsigned count)
{
    percpu_area_t *areas = kmalloc((count + 1) * sizeof(*areas));

    if (!EXPECT(t, areas != NULL))
        return;
    if (EXPECT_EQ(t, percpu_area_alloc_many(areas, count, 4, 4), 0)) {
        expect_cheap(t);
        for (unsigned i = 0; i < count; i += 2) { /* every hole is one granule */
            percpu_area_free(areas[i]);
            areas[i] = 0;
        }
        expect_cheap(t);
        percpu_area_free_many(areas, count);
    }
    kfree(areas);
}

static void pair_with_1000_live(struct ktest *t)
{
    with_live_areas(t, 0);
    with_live_areas(t, 1000);
}
KTEST(percpu_area, pair_with_1000_live, KTEST_QUICK);

static void pair_with_100000_live(struct ktest *t)
{
    with_live_areas(t, 100000);
}
KTEST(percpu_area, pair_with_100000_live, KTEST_FULL);
