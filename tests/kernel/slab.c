/* SPDX-License-Identifier: Apache-2.0 */
/* Slab caches and kmalloc: alignment, overlap, leaks, what comes back, misuse, all CPUs at once. */
#include "core/slab.h"

#include <stdatomic.h>

#include "core/pages.h"
#include "core/percpu.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/smp.h"
#include "core/string.h"
#include "core/topology.h"
#include "tests/kernel/memory_bug_catch.h"

#define OBJECTS 150u
#define RUN_MS 60000u

static uint64_t bytes_that_differ(const void *object, size_t bytes, uint8_t want)
{
    const uint8_t *p = object;
    uint64_t differ = 0;

    for (size_t i = 0; i < bytes; i++)
        differ += p[i] != want;
    return differ;
}

/* Takes many objects, fills each with its own bytes, and looks at them again before they go. */
static void fill_cache(struct ktest *t, size_t bytes, size_t align)
{
    struct slab_cache *cache = slab_cache_create("test", bytes, align, 0);
    unsigned count = bytes > 4096 ? 12 : OBJECTS;
    void *objects[OBJECTS];
    struct slab_stats s;

    if (!EXPECT(t, cache != NULL))
        return;
    for (unsigned i = 0; i < count; i++) {
        objects[i] = slab_alloc(cache, 0);
        if (!EXPECT(t, objects[i] != NULL))
            return;
        EXPECT_EQ(t, (uintptr_t)objects[i] % MAX(align, (size_t)8), 0);
        memset(objects[i], (int)i, bytes);
    }
    slab_stats(cache, &s);
    EXPECT_EQ(t, s.objects_live, count);
    EXPECT_EQ(t, s.object_bytes, bytes);
    EXPECT(t, s.slab_pages * ARCH_PAGE_BYTES >= count * bytes);
    EXPECT(t, slab_cost_bytes(cache) >= bytes);
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQ(t, bytes_that_differ(objects[i], bytes, (uint8_t)i), 0);
        slab_free(cache, objects[i]);
    }
    slab_stats(cache, &s);
    EXPECT_EQ(t, s.objects_live, 0);
    EXPECT_EQ(t, slab_cache_destroy(cache), 0);
}

static uint64_t pages_left(void)
{
    struct pages_stats s;

    (void)pages_drain_cpu();
    pages_stats(&s);
    return s.free_pages;
}

static void sizes_and_alignments(struct ktest *t)
{
    static const size_t bytes[] = {1, 8, 24, 40, 100, 192, 1000, 4672, 9280, 32768};
    uint64_t pages;

    fill_cache(t, 64, 0); /* what the caches themselves need stays */
    pages = pages_left();
    for (unsigned i = 0; i < ARRAY_LEN(bytes); i++)
        for (size_t align = 0; align <= 4096; align = align ? align * 16 : 16)
            fill_cache(t, bytes[i], align);
    EXPECT_EQ(t, pages_left(), pages);
}
KTEST(slab, sizes_and_alignments, KTEST_QUICK);

/* The shares that facts.md F2 counts with: 7 objects of 4672 bytes, 3 of 9280 to 32 KiB. */
static void large_objects_share_32_kib(struct ktest *t)
{
    struct slab_cache *seven = slab_cache_create("seven", 4672, 64, 0);
    struct slab_cache *three = slab_cache_create("three", 9280, 64, 0);

    if (!EXPECT(t, seven && three))
        return;
    if (CORESTORM_DEBUG) {
        ktest_skip(t, "debug builds have red zones");
    } else {
        EXPECT_EQ(t, slab_cost_bytes(seven), 32768 / 7 + 1);
        EXPECT_EQ(t, slab_cost_bytes(three), 32768 / 3 + 1);
    }
    EXPECT_EQ(t, slab_cache_destroy(seven), 0);
    EXPECT_EQ(t, slab_cache_destroy(three), 0);
}
KTEST(slab, large_objects_share_32_kib, KTEST_QUICK);

static void zeroed_when_asked(struct ktest *t)
{
    struct slab_cache *cache = slab_cache_create("zeroed", 200, 0, SLAB_HWCACHE_ALIGN);
    void *object;

    if (!EXPECT(t, cache != NULL))
        return;
    for (unsigned i = 0; i < 3; i++) {
        object = slab_alloc(cache, SLAB_ZERO);
        EXPECT_EQ(t, (uintptr_t)object % CACHE_LINE_BYTES, 0);
        EXPECT_EQ(t, bytes_that_differ(object, 200, 0), 0);
        memset(object, 0xff, 200);
        slab_free(cache, object);
    }
    EXPECT_EQ(t, slab_cache_destroy(cache), 0);
}
KTEST(slab, zeroed_when_asked, KTEST_QUICK);

static void empty_slabs_come_back(struct ktest *t)
{
    struct slab_cache *cache = slab_cache_create("comes back", 512, 0, 0);
    void *objects[OBJECTS];
    struct slab_stats full, after;

    if (!EXPECT(t, cache != NULL))
        return;
    for (unsigned i = 0; i < OBJECTS; i++)
        objects[i] = slab_alloc(cache, 0);
    slab_stats(cache, &full);
    for (unsigned i = 0; i < OBJECTS; i++)
        slab_free(cache, objects[i]);
    slab_stats(cache, &after);
    EXPECT(t, after.slab_pages <= full.slab_pages / 2);
    EXPECT_EQ(t, slab_cache_destroy(cache), 0);
}
KTEST(slab, empty_slabs_come_back, KTEST_QUICK);

static void leaks_are_counted(struct ktest *t)
{
    struct slab_cache *cache = slab_cache_create("leaky", 64, 0, 0);
    void *a = slab_alloc(cache, 0), *b = slab_alloc(cache, 0);

    bugs_catch();
    EXPECT_EQ(t, slab_cache_destroy(cache), 2);
    EXPECT_EQ(t, bugs_release(), 1);
    slab_free(cache, a);
    slab_free(cache, b);
    EXPECT_EQ(t, slab_cache_destroy(cache), 0);
}
KTEST(slab, leaks_are_counted, KTEST_QUICK);

static void kmalloc_sizes(struct ktest *t)
{
    for (size_t bytes = 1; bytes <= 200000; bytes += 1 + bytes / 3) {
        uint8_t *object = kmalloc(bytes), *zeroed = kzalloc(bytes);

        if (!EXPECT(t, object && zeroed))
            return;
        EXPECT_EQ(t, (uintptr_t)object % (bytes >= CACHE_LINE_BYTES ? CACHE_LINE_BYTES : 16), 0);
        memset(object, 0x5a, bytes);
        EXPECT_EQ(t, bytes_that_differ(zeroed, bytes, 0), 0);
        EXPECT_EQ(t, bytes_that_differ(object, bytes, 0x5a), 0);
        kfree(object);
        kfree(zeroed);
    }
    kfree(NULL);
    EXPECT(t, kmalloc((size_t)ARCH_PAGE_BYTES << (PAGE_MAX_ORDER + 1)) == NULL);
    EXPECT(t, kmalloc(SIZE_MAX) == NULL);
}
KTEST(slab, kmalloc_sizes, KTEST_QUICK);

static void failing_leaves_nothing(struct ktest *t)
{
    struct slab_cache *cache;
    void *object;

    for (uint64_t k = 1, counted = 1; k <= counted + 1; k++) {
        fail_injection_set(k);
        cache = slab_cache_create("failing", 3000, 0, 0);
        object = cache ? slab_alloc(cache, 0) : NULL;
        counted = fail_injection_set(0);
        EXPECT_EQ(t, object != NULL, k > counted);
        if (object)
            slab_free(cache, object);
        if (cache)
            EXPECT_EQ(t, slab_cache_destroy(cache), 0);
    }
}
KTEST(slab, failing_leaves_nothing, KTEST_QUICK);

static void expect_bug(struct ktest *t, const char *what)
{
    EXPECT_EQ(t, bugs_release(), 1);
    EXPECT_EQ(t, strcmp(bug_caught, what), 0);
    bugs_catch();
}

/* Misuse is seen in debug builds; others must not pay for it. */
static void misuse_is_refused(struct ktest *t)
{
    struct slab_cache *cache, *other;
    uint8_t *object;

    if (!CORESTORM_DEBUG) {
        ktest_skip(t, "not a debug build");
        return;
    }
    cache = slab_cache_create("misused", 60, 0, 0);
    other = slab_cache_create("other", 60, 0, 0);
    object = slab_alloc(cache, 0);
    bugs_catch();
    slab_free(other, object);
    expect_bug(t, "free of a foreign object");
    slab_free(cache, object + 8);
    expect_bug(t, "free of the middle of an object");
    object[60] = 0;
    slab_free(cache, object);
    expect_bug(t, "overrun of an object");
    slab_free(cache, object);
    expect_bug(t, "double free of an object");
    object[20] = 0;
    object = slab_alloc(cache, 0);
    expect_bug(t, "write to a freed object");
    (void)bugs_release();
    slab_free(cache, object);
    EXPECT_EQ(t, slab_cache_destroy(cache), 0);
    EXPECT_EQ(t, slab_cache_destroy(other), 0);
}
KTEST(slab, misuse_is_refused, KTEST_QUICK);

/* --- all CPUs at once: objects go round, so that most are freed by another CPU --- */

#define MAILBOXES 64u

struct crowd {
    struct slab_cache *cache;
    uint64_t seed;
    uint32_t rounds;
    _Atomic uint64_t wrong;
    _Atomic(void *) mailbox[MAILBOXES];
};

static void exchange_objects(void *arg)
{
    struct crowd *crowd = arg;
    struct random random;
    uint64_t wrong = 0;

    random_seed(&random, crowd->seed + this_cpu_id());
    for (uint32_t i = 0; i < crowd->rounds; i++) {
        uint64_t *object = slab_alloc(crowd->cache, 0);

        if (object)
            object[0] = object[11] = (uintptr_t)object;
        object = atomic_exchange_explicit(&crowd->mailbox[random_below(&random, MAILBOXES)], object,
                                          memory_order_acq_rel);
        if (!object)
            continue;
        wrong += object[0] != (uintptr_t)object || object[11] != (uintptr_t)object;
        slab_free(crowd->cache, object);
    }
    atomic_fetch_add_explicit(&crowd->wrong, wrong, memory_order_relaxed);
}

static void all_cpus_at_once(struct ktest *t)
{
    struct crowd *crowd = kzalloc(sizeof(*crowd));

    if (!EXPECT(t, crowd != NULL))
        return;
    crowd->seed = t->seed;
    crowd->rounds = ktest_rounds(t, 50 + 2000 / nr_cpus, 50000);
    crowd->cache = slab_cache_create("crowd", 96, 0, 0);
    ktest_run_all(t, exchange_objects, crowd, RUN_MS);
    EXPECT_EQ(t, crowd->wrong, 0);
    for (unsigned i = 0; i < MAILBOXES; i++)
        if (crowd->mailbox[i])
            slab_free(crowd->cache, crowd->mailbox[i]);
    EXPECT_EQ(t, slab_cache_destroy(crowd->cache), 0);
    kfree(crowd);
}
KTEST(slab, all_cpus_at_once, KTEST_QUICK);
