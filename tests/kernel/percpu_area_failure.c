/* SPDX-License-Identifier: Apache-2.0 */
/* The per-CPU area allocator when something goes wrong: the k-th allocation fails, and misuse. */
#include "core/pages.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/selftest.h"
#include "core/string.h"
#include "core/topology.h"
#include "tests/kernel/memory_bug_catch.h"

/* --- the k-th allocation fails --- */

#define MANY 2u
#define MANY_BYTES (33u * 1024u) /* two of them do not fit into one chunk */

static bool try_many(void)
{
    percpu_area_t areas[MANY];
    int error = percpu_area_alloc_many(areas, MANY, MANY_BYTES, 4);
    bool clean = !areas[0] && !areas[1];

    if (!error)
        percpu_area_free_many(areas, MANY);
    return error ? !clean : true;
}

static bool try_group(void)
{
    percpu_area_t area = percpu_area_alloc_group(4096, 4096, 5);

    percpu_area_free(area);
    return area != 0;
}

static uint64_t pages_left(void)
{
    struct pages_stats s;

    (void)percpu_area_trim();
    (void)pages_drain_cpu();
    pages_stats(&s);
    return s.free_pages;
}

/* Every k while the operation is short; of a long one (many CPUs) as many as the quick run has time
 * for, spread evenly, and always the first ones. */
static void fail_at_each(struct ktest *t, bool (*operation)(void))
{
    uint64_t k = 1, step, counted, pages, tries = t->full ? 4000 : nr_cpus > 8 ? 8 : 60;
    struct percpu_stats before, after;
    bool ok;

    EXPECT(t, operation()); /* page tables that it needs stay */
    pages = pages_left();
    percpu_area_stats(&before);
    fail_injection_set(UINT64_MAX);
    EXPECT(t, operation());
    counted = fail_injection_set(0);
    EXPECT(t, counted > 2);
    step = MAX(counted / tries, (uint64_t)1);
    for (; k <= counted + 1 && !t->failures; k += k < 16 ? 1 : step) {
        uint64_t live;

        (void)percpu_area_trim();
        fail_injection_set(k);
        ok = operation();
        fail_injection_set(0);
        EXPECT_EQ(t, ok, k > counted);
        percpu_area_stats(&after);
        live = after.areas_live - before.areas_live;
        EXPECT_EQ(t, live, 0);
        EXPECT_EQ(t, after.bytes_live, before.bytes_live);
        EXPECT_EQ(t, after.bytes_requested, before.bytes_requested);
    }
    EXPECT_EQ(t, pages_left(), pages);
    EXPECT_EQ(t, percpu_area_check(), 0);
}

static void failing_many_leaves_nothing(struct ktest *t)
{
    fail_at_each(t, try_many);
}
KTEST(percpu_area, failing_many_leaves_nothing, KTEST_QUICK);

static void failing_group_leaves_nothing(struct ktest *t)
{
    fail_at_each(t, try_group);
}
KTEST(percpu_area, failing_group_leaves_nothing, KTEST_QUICK);

/* --- misuse --- */

static void expect_bad_free(struct ktest *t, percpu_area_t area, const char *what)
{
    struct percpu_stats before, after;

    percpu_area_stats(&before);
    bugs_catch();
    percpu_area_free(area);
    EXPECT_EQ(t, bugs_release(), 1);
    percpu_area_stats(&after);
    EXPECT_EQ(t, strcmp(bug_caught, what), 0);
    EXPECT_EQ(t, after.bad_frees - before.bad_frees, 1);
    EXPECT_EQ(t, after.areas_live, before.areas_live);
    EXPECT_EQ(t, percpu_area_check(), 0);
}

static void bad_frees_are_refused(struct ktest *t)
{
    percpu_area_t area = percpu_area_alloc(16, 16), gone = percpu_area_alloc(16, 16);

    percpu_area_free(gone);
    expect_bad_free(t, gone, "double free of an area");
    expect_bad_free(t, area + 4, "free of the middle of an area");
    expect_bad_free(t, area + 1, "free of a misaligned area");
    expect_bad_free(t, PERCPU_STRIDE_BYTES + 64, "free of a foreign area");
    expect_bad_free(t, PERCPU_HEAD_BYTES, "free of the middle of an area");
    percpu_area_free(0);
    percpu_area_free(area);
}
KTEST(percpu_area, bad_frees_are_refused, KTEST_QUICK);

static void expect_impossible(struct ktest *t, size_t bytes, size_t align, unsigned count)
{
    percpu_area_t areas[2] = {1, 1};

    bugs_catch();
    EXPECT_EQ(t, percpu_area_alloc_group(bytes, align, count), 0);
    EXPECT_EQ(t, bugs_release(), 1);
    if (count > 2)
        return;
    bugs_catch();
    EXPECT(t, percpu_area_alloc_many(areas, count, bytes, align) != 0);
    EXPECT_EQ(t, bugs_release(), 1);
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(t, areas[i], 0);
}

static void impossible_requests_are_refused(struct ktest *t)
{
    struct percpu_stats before, after;

    percpu_area_stats(&before);
    expect_impossible(t, 0, 4, 1);
    expect_impossible(t, PERCPU_AREA_MAX_BYTES + 1, 4, 2);
    expect_impossible(t, 4, 3, 1);
    expect_impossible(t, 4, 2 * ARCH_PAGE_BYTES, 1);
    expect_impossible(t, 65536, 4, 65536);
    expect_impossible(t, SIZE_MAX / 2 + 1, 4, 2);
    expect_impossible(t, SIZE_MAX, 4096, 2);
    percpu_area_stats(&after);
    EXPECT_EQ(t, after.areas_live, before.areas_live);
}
KTEST(percpu_area, impossible_requests_are_refused, KTEST_QUICK);

/* One byte too many on the last CPU: debug builds see it when the area is freed. */
static void overruns_are_seen(struct ktest *t)
{
    percpu_area_t area = percpu_area_alloc(6, 4);
    struct percpu_stats before, after;

    if (!CORESTORM_DEBUG) {
        ktest_skip(t, "not a debug build");
        percpu_area_free(area);
        return;
    }
    percpu_area_stats(&before);
    *((uint8_t *)percpu_at(area, nr_cpus - 1) + 6) = 1;
    bugs_catch();
    percpu_area_free(area);
    EXPECT_EQ(t, bugs_release(), 1);
    EXPECT_EQ(t, strcmp(bug_caught, "overrun of an area"), 0);
    percpu_area_stats(&after);
    EXPECT_EQ(t, before.areas_live - after.areas_live, 1);
}
KTEST(percpu_area, overruns_are_seen, KTEST_QUICK);
