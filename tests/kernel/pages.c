/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page allocator: blocks are aligned and disjoint, buddies merge again, lists move batches
 * under one hold of the zone lock.
 *
 * The set of free blocks that a buddy system holds is determined by which pages are free: after
 * everything has come back, the number of blocks of each order must be what it was.
 */
#include "core/pages.h"

#include <stdatomic.h>

#include "core/percpu.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/topology.h"
#include "tests/kernel/memory_bug_catch.h"

#define BLOCKS 256u
#define RUN_MS 60000u
#define STAMP 0x70616765ull

struct block {
    struct page *page;
    unsigned order;
};

struct free_counts {
    uint64_t blocks[PAGE_MAX_ORDER + 1];
};

static struct free_counts count_free(void)
{
    struct free_counts counts;

    (void)pages_drain_cpu();
    for (unsigned order = 0; order <= PAGE_MAX_ORDER; order++)
        counts.blocks[order] = pages_free_blocks(order);
    return counts;
}

static void expect_same_free(struct ktest *t, const struct free_counts *before)
{
    struct free_counts after = count_free();

    for (unsigned order = 0; order <= PAGE_MAX_ORDER; order++)
        EXPECT_EQ(t, after.blocks[order], before->blocks[order]);
}

/* The first and last word of every page of the block say whose it is. */
static void stamp_block(const struct block *b)
{
    for (uint64_t i = 0; i < 1ull << b->order; i++) {
        uint64_t *words = page_to_virt(b->page + i);

        words[0] = words[511] = page_to_pfn(b->page) ^ STAMP;
    }
}

static uint64_t stamps_wrong(const struct block *b)
{
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < 1ull << b->order; i++) {
        const uint64_t *words = page_to_virt(b->page + i);

        wrong += words[0] != (page_to_pfn(b->page) ^ STAMP) || words[511] != words[0];
    }
    return wrong;
}

static void take_block(struct ktest *t, struct block *b, unsigned order)
{
    b->order = order;
    b->page = page_alloc(order, 0);
    if (!EXPECT(t, b->page != NULL))
        return;
    EXPECT_EQ(t, page_to_pfn(b->page) % (1ull << order), 0);
    EXPECT_EQ(t, b->page->refcount, 1);
    EXPECT_EQ(t, virt_to_page(page_to_virt(b->page)) == b->page, 1);
    stamp_block(b);
}

static void drop_block(struct ktest *t, struct block *b)
{
    EXPECT_EQ(t, stamps_wrong(b), 0);
    page_free(b->page, b->order);
    b->page = NULL;
}

static void random_blocks_merge_again(struct ktest *t)
{
    struct block *blocks = kzalloc(BLOCKS * sizeof(*blocks));
    struct free_counts before = count_free();
    struct random random;

    if (!EXPECT(t, blocks != NULL))
        return;
    random_seed(&random, t->seed);
    for (unsigned i = 0; i < (t->full ? 50000u : 1500u) && !t->failures; i++) {
        struct block *b = &blocks[random_below(&random, BLOCKS)];
        unsigned order = random_below(&random, 8) ? 0 : random_below(&random, 8);

        if (b->page)
            drop_block(t, b);
        else
            take_block(t, b, order);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        if (blocks[i].page)
            drop_block(t, &blocks[i]);
    expect_same_free(t, &before);
    kfree(blocks);
}
KTEST(pages, random_blocks_merge_again, KTEST_QUICK);

static void every_order(struct ktest *t)
{
    struct free_counts before = count_free();

    for (unsigned order = 0; order <= PAGE_MAX_ORDER; order++) {
        struct block b;

        take_block(t, &b, order);
        if (b.page)
            drop_block(t, &b);
    }
    EXPECT(t, page_alloc(PAGE_MAX_ORDER + 1, 0) == NULL);
    expect_same_free(t, &before);
}
KTEST(pages, every_order, KTEST_QUICK);

static void zeroed_when_asked(struct ktest *t)
{
    for (unsigned order = 0; order < 3; order++) {
        struct page *page = page_alloc(order, 0);
        uint64_t bytes = (uint64_t)ARCH_PAGE_BYTES << order, set = 0;
        uint64_t *words;

        if (!EXPECT(t, page != NULL))
            return;
        words = page_to_virt(page);
        for (uint64_t i = 0; i < bytes / 8; i++)
            words[i] = ~i;
        page_free(page, order);
        page = page_alloc(order, PAGE_ZERO);
        words = page_to_virt(page);
        for (uint64_t i = 0; i < bytes / 8; i++)
            set += words[i] != 0;
        EXPECT_EQ(t, set, 0);
        page_free(page, order);
    }
}
KTEST(pages, zeroed_when_asked, KTEST_QUICK);

static uint64_t lock_holds(void)
{
    struct pages_stats s;

    pages_stats(&s);
    return s.zone_lock_holds;
}

/* A refill moves PAGE_BATCH pages under one hold; page_free_many takes the lock once for all. */
static void batches_take_the_lock_once(struct ktest *t)
{
    struct page *pages[PAGE_BATCH];
    uint64_t holds;

    (void)pages_drain_cpu();
    holds = lock_holds();
    for (unsigned i = 0; i < PAGE_BATCH; i++)
        pages[i] = page_alloc(0, 0);
    EXPECT_EQ(t, lock_holds() - holds, 1);
    for (unsigned i = 0; i < PAGE_BATCH; i++)
        EXPECT(t, pages[i] != NULL);
    holds = lock_holds();
    page_free_many(pages, PAGE_BATCH);
    if (nr_nodes == 1)
        EXPECT_EQ(t, lock_holds() - holds, 1);
    EXPECT(t, lock_holds() - holds <= PAGE_BATCH);
}
KTEST(pages, batches_take_the_lock_once, KTEST_QUICK);

/* More pages than a list holds: it spills, and does not grow. */
static void lists_are_bounded(struct ktest *t)
{
    enum { PAGES = 1000 };
    struct page **pages = kmalloc(PAGES * sizeof(struct page *));
    struct pages_stats before, after;

    if (!EXPECT(t, pages != NULL))
        return;
    (void)pages_drain_cpu();
    pages_stats(&before);
    for (unsigned i = 0; i < PAGES; i++)
        pages[i] = page_alloc(0, 0);
    for (unsigned i = 0; i < PAGES; i++)
        if (EXPECT(t, pages[i] != NULL))
            page_free(pages[i], 0);
    pages_stats(&after);
    EXPECT(t, after.pcp_pages <= before.pcp_pages + 4 * PAGE_BATCH);
    EXPECT_EQ(t, after.free_pages + after.pcp_pages, before.free_pages + before.pcp_pages);
    EXPECT_EQ(t, after.total_pages, before.total_pages);
    kfree(pages);
}
KTEST(pages, lists_are_bounded, KTEST_QUICK);

static void double_free_is_refused(struct ktest *t)
{
    struct page *listed = page_alloc(0, 0);
    struct free_counts before;

    if (!EXPECT(t, listed != NULL))
        return;
    page_free(listed, 0);
    before = count_free();
    listed = page_alloc(0, 0);
    page_free(listed, 0);
    bugs_catch();
    page_free(listed, 0);
    page_free_many(&listed, 1);
    EXPECT_EQ(t, bugs_release(), 2);
    expect_same_free(t, &before);
}
KTEST(pages, double_free_is_refused, KTEST_QUICK);

static void failure_takes_nothing(struct ktest *t)
{
    struct free_counts before = count_free();

    fail_injection_set(1);
    EXPECT(t, page_alloc(0, 0) == NULL);
    fail_injection_set(1);
    EXPECT(t, page_alloc_node(3, PAGE_ZERO, 0) == NULL);
    fail_injection_set(0);
    expect_same_free(t, &before);
}
KTEST(pages, failure_takes_nothing, KTEST_QUICK);

/* Everything is handed out once, then nothing, then it all comes back. */
static void exhaustion(struct ktest *t)
{
    struct free_counts before = count_free();
    struct page *chain = NULL, *page;
    uint64_t taken = 0;

    while ((page = page_alloc(PAGE_MAX_ORDER, 0))) {
        page->owner = chain;
        chain = page;
        taken++;
    }
    EXPECT(t, taken >= before.blocks[PAGE_MAX_ORDER]);
    EXPECT(t, page_alloc(PAGE_MAX_ORDER, PAGE_ZERO) == NULL);
    while ((page = chain)) {
        chain = page->owner;
        page_free(page, PAGE_MAX_ORDER);
    }
    expect_same_free(t, &before);
}
KTEST(pages, exhaustion, KTEST_QUICK);

/* --- all CPUs at once --- */

#define HELD 40u

struct crowd {
    uint64_t seed;
    uint32_t rounds;
    _Atomic uint64_t wrong;
};

static void come_and_go(void *arg)
{
    struct crowd *crowd = arg;
    struct block held[HELD] = {{0}};
    struct random random;
    uint64_t wrong = 0;

    random_seed(&random, crowd->seed + this_cpu_id());
    for (uint32_t i = 0; i < crowd->rounds + HELD; i++) {
        struct block *b =
            &held[i < crowd->rounds ? random_below(&random, HELD) : i - crowd->rounds];

        if (b->page) {
            wrong += stamps_wrong(b);
            page_free(b->page, b->order);
            b->page = NULL;
        } else if (i < crowd->rounds) {
            b->order = random_below(&random, 6) ? 0 : random_below(&random, 4);
            b->page = page_alloc(b->order, 0);
            if (b->page)
                stamp_block(b);
        }
    }
    (void)pages_drain_cpu();
    atomic_fetch_add_explicit(&crowd->wrong, wrong, memory_order_relaxed);
}

static void drain(void *arg)
{
    (void)pages_drain_cpu();
}

static void all_cpus_at_once(struct ktest *t)
{
    struct free_counts before;
    struct crowd crowd = {.seed = t->seed, .rounds = ktest_rounds(t, 60 + 1500 / nr_cpus, 20000)};

    ktest_run_all(t, drain, NULL, RUN_MS);
    before = count_free();
    ktest_run_all(t, come_and_go, &crowd, RUN_MS);
    EXPECT_EQ(t, crowd.wrong, 0);
    expect_same_free(t, &before);
}
KTEST(pages, all_cpus_at_once, KTEST_QUICK);
