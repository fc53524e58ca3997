/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The per-CPU area allocator against a reference model: a table of the live areas, each filled on
 * every CPU with bytes that only it has, so that any overlap shows.
 */
#include "core/percpu_area.h"

#include <arch/mmu.h>

#include "core/percpu.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/topology.h"

#define MODEL_AREAS 160u
#define CPUS_LOOKED_AT 6u /* of many; all of few, or in a full run */

struct model_area {
    percpu_area_t area;
    uint32_t bytes, align;
    uint8_t stamp;
};

struct model {
    struct ktest *t;
    struct random random;
    struct percpu_stats before;
    struct model_area live[MODEL_AREAS];
    uint32_t nr_live;
    uint64_t bytes_requested, bytes_live;
    uint8_t next_stamp;
};

/* The i-th CPU to look at, of looks(). */
static uint32_t looks(const struct ktest *t)
{
    return t->full ? nr_cpus : MIN(nr_cpus, CPUS_LOOKED_AT);
}

static uint32_t look(const struct ktest *t, uint32_t i)
{
    return looks(t) == 1 ? 0 : (uint32_t)((uint64_t)i * (nr_cpus - 1) / (looks(t) - 1));
}

static uint64_t bytes_that_differ(const uint8_t *copy, size_t bytes, uint8_t want)
{
    uint64_t differ = 0;

    for (size_t i = 0; i < bytes; i++)
        differ += copy[i] != want;
    return differ;
}

static uint64_t area_differs(const struct ktest *t, percpu_area_t area, size_t bytes, uint8_t want)
{
    uint64_t differ = 0;

    for (uint32_t i = 0; i < looks(t); i++)
        differ += bytes_that_differ(percpu_at(area, look(t, i)), bytes, want);
    return differ;
}

static size_t granules_bytes(size_t bytes)
{
    return ALIGN_UP(bytes, (size_t)PERCPU_MIN_ALIGN) + PERCPU_REDZONE_BYTES;
}

static struct model *model_create(struct ktest *t)
{
    struct model *m = kzalloc(sizeof(*m));

    if (!EXPECT(t, m != NULL))
        return NULL;
    m->t = t;
    random_seed(&m->random, t->seed);
    (void)percpu_area_trim();
    percpu_area_stats(&m->before);
    return m;
}

/* Mostly small, as counters are; now and then pages, rarely a whole unit. */
static uint32_t random_bytes(struct random *r)
{
    uint32_t kind = random_below(r, 64);

    if (kind == 0)
        return PERCPU_AREA_MAX_BYTES - random_below(r, 9);
    if (kind < 4)
        return 1 + random_below(r, 12000);
    if (kind < 12)
        return 1 + random_below(r, 700);
    return 1 + random_below(r, 40);
}

static void model_add(struct model *m, percpu_area_t area, uint32_t bytes, uint32_t align)
{
    struct model_area *a = &m->live[m->nr_live++];

    *a = (struct model_area){area, bytes, align, ++m->next_stamp ? m->next_stamp : 1};
    EXPECT_EQ(m->t, area % align, 0);
    EXPECT(m->t, area >= PERCPU_HEAD_BYTES && area + bytes <= PERCPU_STRIDE_BYTES);
    EXPECT_EQ(m->t, area_differs(m->t, area, bytes, 0), 0);
    for (uint32_t i = 0; i < looks(m->t); i++)
        memset(percpu_at(area, look(m->t, i)), a->stamp, bytes);
    m->bytes_requested += bytes;
    m->bytes_live += granules_bytes(bytes);
}

static void model_remove(struct model *m, uint32_t i)
{
    struct model_area a = m->live[i];

    EXPECT_EQ(m->t, area_differs(m->t, a.area, a.bytes, a.stamp), 0);
    m->bytes_requested -= a.bytes;
    m->bytes_live -= granules_bytes(a.bytes);
    m->live[i] = m->live[--m->nr_live];
}

static void model_alloc_one(struct model *m)
{
    uint32_t bytes = random_bytes(&m->random), align = 4u << random_below(&m->random, 11);
    percpu_area_t area;

    if (random_below(&m->random, 2))
        align = PERCPU_MIN_ALIGN;
    if (m->nr_live == MODEL_AREAS || bytes > PERCPU_AREA_MAX_BYTES)
        return;
    area = percpu_area_alloc(bytes, align);
    if (EXPECT(m->t, area != 0))
        model_add(m, area, bytes, align);
}

static void model_alloc_group(struct model *m)
{
    uint32_t bytes = 1 + random_below(&m->random, 12), count = 1 + random_below(&m->random, 9);
    uint32_t align = 4u << random_below(&m->random, 5);
    uint32_t total = (uint32_t)percpu_slice_bytes(bytes, align) * count;
    percpu_area_t area;

    if (m->nr_live == MODEL_AREAS)
        return;
    area = percpu_area_alloc_group(bytes, align, count);
    if (EXPECT(m->t, area != 0))
        model_add(m, area, total, align);
}

static void model_alloc_many(struct model *m)
{
    percpu_area_t areas[8];
    uint32_t count = 1 + random_below(&m->random, 8), bytes = 1 + random_below(&m->random, 90);
    uint32_t align = 4u << random_below(&m->random, 5);

    if (m->nr_live + count > MODEL_AREAS)
        return;
    if (!EXPECT_EQ(m->t, percpu_area_alloc_many(areas, count, bytes, align), 0))
        return;
    for (uint32_t i = 0; i < count; i++)
        model_add(m, areas[i], bytes, align);
}

static void model_free_some(struct model *m)
{
    percpu_area_t areas[8];
    uint32_t count = 1 + random_below(&m->random, 8);

    count = MIN(count, m->nr_live);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = random_below(&m->random, m->nr_live);

        areas[i] = m->live[at].area;
        model_remove(m, at);
    }
    if (count == 1)
        percpu_area_free(areas[0]);
    else
        percpu_area_free_many(areas, count);
}

static void model_compare(struct model *m)
{
    struct percpu_stats now;

    percpu_area_stats(&now);
    EXPECT_EQ(m->t, now.areas_live - m->before.areas_live, m->nr_live);
    EXPECT_EQ(m->t, now.bytes_requested - m->before.bytes_requested, m->bytes_requested);
    EXPECT_EQ(m->t, now.bytes_live - m->before.bytes_live, m->bytes_live);
    EXPECT_EQ(m->t, now.bytes_wasted, now.bytes_live - now.bytes_requested);
    EXPECT_EQ(m->t, now.allocs - now.frees, now.areas_live);
    EXPECT_EQ(m->t, percpu_area_check(), 0);
}

static void model_step(struct model *m)
{
    switch (random_below(&m->random, 8)) {
    case 0:
        model_alloc_many(m);
        break;
    case 1:
        model_alloc_group(m);
        break;
    case 2:
    case 3:
    case 4:
        model_alloc_one(m);
        break;
    default:
        model_free_some(m);
    }
}

static void random_operations_equal_the_model(struct ktest *t)
{
    uint32_t steps = t->full ? 20000 : 400;
    struct model *m = model_create(t);
    struct percpu_stats now;

    if (!m)
        return;
    for (uint32_t i = 0; i < steps && !t->failures; i++) {
        model_step(m);
        if (i % (steps / 8) == 0)
            model_compare(m);
        if (random_below(&m->random, steps / 2) == 0)
            (void)percpu_area_trim();
    }
    model_compare(m);
    while (m->nr_live)
        model_free_some(m);
    (void)percpu_area_trim();
    model_compare(m);
    percpu_area_stats(&now);
    EXPECT_EQ(t, now.chunks, m->before.chunks);
    EXPECT_EQ(t, now.pages_populated, m->before.pages_populated);
    EXPECT_EQ(t, now.bytes_metadata, m->before.bytes_metadata);
    kfree(m);
}
KTEST(percpu_area, random_operations_equal_the_model, KTEST_QUICK);

static void every_size_and_alignment(struct ktest *t)
{
    static const uint32_t bytes[] = {1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097};
    uint32_t tried = 0;

    for (uint32_t i = 0; i <= ARRAY_LEN(bytes); i++) {
        uint32_t size = i < ARRAY_LEN(bytes) ? bytes[i] : PERCPU_AREA_MAX_BYTES;

        for (uint32_t align = 1; align <= ARCH_PAGE_BYTES; align *= 2) {
            percpu_area_t area = percpu_area_alloc(size, align);

            EXPECT(t, area && area % MAX(align, PERCPU_MIN_ALIGN) == 0);
            percpu_area_free(area);
            tried++;
        }
    }
    EXPECT_EQ(t, tried, 15 * 13);
    EXPECT_EQ(t, percpu_area_check(), 0);
}
KTEST(percpu_area, every_size_and_alignment, KTEST_QUICK);

static void group_is_one_area(struct ktest *t)
{
    struct percpu_stats before, after;
    percpu_area_t area;

    percpu_area_stats(&before);
    area = percpu_area_alloc_group(4, 4, 4);
    percpu_area_stats(&after);
    EXPECT_EQ(t, percpu_slice_bytes(4, 4), 4);
    EXPECT_EQ(t, percpu_slice_bytes(5, 8), 8);
    EXPECT_EQ(t, after.areas_live - before.areas_live, 1);
    EXPECT_EQ(t, after.bytes_requested - before.bytes_requested, 16);
    EXPECT_EQ(t, after.lock_holds - before.lock_holds, 1);
    percpu_area_free(area);
}
KTEST(percpu_area, group_is_one_area, KTEST_QUICK);

static void many_areas_are_one_hold(struct ktest *t)
{
    struct percpu_stats before, after;
    percpu_area_t areas[16], warm = percpu_area_alloc(4, 4);

    percpu_area_stats(&before);
    EXPECT_EQ(t, percpu_area_alloc_many(areas, 16, 4, 4), 0);
    percpu_area_free_many(areas, 16);
    percpu_area_stats(&after);
    EXPECT_EQ(t, after.lock_holds - before.lock_holds, 2);
    EXPECT_EQ(t, after.areas_live, before.areas_live);
    for (unsigned i = 0; i < 16; i++)
        EXPECT_EQ(t, areas[i], 0);
    percpu_area_free(warm);
}
KTEST(percpu_area, many_areas_are_one_hold, KTEST_QUICK);

/* Four rounds of memory that comes and goes: chunks are returned but for a spare one, and nothing
 * is lost from round to round. */
static void memory_comes_back(struct ktest *t)
{
    enum { AREAS = 200 };
    percpu_area_t *areas = kmalloc(AREAS * sizeof(*areas));
    struct percpu_stats before, full, after;

    if (!EXPECT(t, areas != NULL))
        return;
    (void)percpu_area_trim();
    percpu_area_stats(&before);
    for (unsigned round = 0; round < (t->full ? 4u : 2u); round++) {
        EXPECT_EQ(t, percpu_area_alloc_many(areas, AREAS, 1024, 4), 0);
        percpu_area_stats(&full);
        EXPECT(t, full.chunks >= before.chunks + 3);
        for (unsigned i = 0; i < AREAS; i++)
            percpu_area_free(areas[i]);
        percpu_area_stats(&after);
        EXPECT(t, after.chunks <= before.chunks + 1);
        EXPECT(t, after.pages_populated < full.pages_populated);
    }
    (void)percpu_area_trim();
    percpu_area_stats(&after);
    EXPECT_EQ(t, after.chunks, before.chunks);
    EXPECT_EQ(t, after.pages_populated, before.pages_populated);
    kfree(areas);
}
KTEST(percpu_area, memory_comes_back, KTEST_QUICK);

/* Nine of ten areas go; the next ones fill the holes instead of asking for chunks. */
static void holes_are_filled(struct ktest *t)
{
    enum { AREAS = 3000 };
    percpu_area_t *areas = kmalloc(AREAS * sizeof(*areas));
    struct percpu_stats full, after;

    if (!EXPECT(t, areas != NULL))
        return;
    EXPECT_EQ(t, percpu_area_alloc_many(areas, AREAS, 64, 4), 0);
    percpu_area_stats(&full);
    for (unsigned i = 0; i < AREAS; i++)
        if (i % 10)
            percpu_area_free(areas[i]);
    for (unsigned i = 0; i < AREAS; i++)
        if (i % 10)
            areas[i] = percpu_area_alloc(64, 4);
    percpu_area_stats(&after);
    EXPECT(t, after.chunks <= full.chunks);
    EXPECT_EQ(t, after.bytes_live, full.bytes_live);
    EXPECT_EQ(t, percpu_area_check(), 0);
    percpu_area_free_many(areas, AREAS);
    kfree(areas);
}
KTEST(percpu_area, holes_are_filled, KTEST_QUICK);
