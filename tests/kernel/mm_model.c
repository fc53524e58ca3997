/* SPDX-License-Identifier: Apache-2.0 */
/* The address-space model of the exec storm: lists, areas, page tables, a whole cycle (I1, I2). */
#include "bench/mm_model.h"
#include "core/errno.h"
#include "core/selftest.h"
#include "core/topology.h"

#define VA_ANON 0x10000000ull
#define PAGE_VA(start, i) ((start) + (uint64_t)(i)*ARCH_PAGE_BYTES)

/* A system with one task on this CPU, its mms without counters. */
struct fixture {
    struct mm_system system;
    struct mm_task task;
};

static bool fixture_make(struct ktest *t, struct fixture *f)
{
    if (!EXPECT_EQ(t, mm_system_init(&f->system, 64, 8), 0))
        return false;
    if (EXPECT_EQ(t, mm_task_init(&f->task, &f->system), 0))
        return true;
    mm_system_destroy(&f->system);
    return false;
}

static void fixture_end(struct ktest *t, struct fixture *f)
{
    EXPECT_EQ(t, f->task.pages_taken - f->task.pages_given, 0); /* I1 */
    mm_task_destroy(&f->task);
    EXPECT_EQ(t, mm_system_destroy(&f->system), 0);
}

static uint64_t listed(const struct mm_system *system)
{
    uint64_t nr = 0;

    for (uint32_t node = 0; node < nr_nodes; node++)
        nr += system->lru.vecs[node].nr;
    return nr;
}

static void mm_take_down(struct fixture *f, struct mm *mm, int32_t rss[MM_RSS_COUNTERS])
{
    struct mm_gather gather;

    mm_exit_begin(&gather, &f->task);
    for (unsigned i = 0; i < mm->leaf->nr; i++)
        mm_exit_area(&gather, mm, i, rss);
    mm_exit_end(&gather, mm);
    mm_free(&f->task, mm);
}

static int image_run(struct fixture *f, struct mm *mm, int32_t rss[MM_RSS_COUNTERS])
{
    int error = mm_image_map(&f->task, mm);

    for (unsigned i = 0; !error && i < MM_IMAGE_TOUCHES; i++)
        error = mm_fault(&f->task, mm, mm_image_touches[i].va, mm_image_touches[i].write, rss);
    return error;
}

static void list_pages(struct ktest *t, struct fixture *f, struct page **pages, unsigned nr)
{
    for (unsigned i = 0; i < nr; i++) {
        pages[i] = mm_page_take(&f->task, 0);
        if (!EXPECT(t, pages[i] != NULL))
            return;
        pages[i]->private[0] = PAGE_ANON;
        lru_add(&f->system.lru, &f->task.batch, pages[i]);
    }
}

static void lru_batches_and_counts(struct ktest *t)
{
    static struct page *pages[LRU_BATCH_PAGES + 5];
    struct fixture f;

    if (!fixture_make(t, &f))
        return;
    list_pages(t, &f, pages, ARRAY_LEN(pages));
    EXPECT_EQ(t, listed(&f.system), LRU_BATCH_PAGES);
    EXPECT_EQ(t, f.task.batch.nr, 5);
    EXPECT_EQ(t, atomic_load(&pages[0]->refcount), 1);
    EXPECT_EQ(t, atomic_load(&pages[LRU_BATCH_PAGES]->refcount), 2);

    EXPECT_EQ(t, lru_drain(&f.system.lru, &f.task.batch), 0);
    EXPECT_EQ(t, listed(&f.system), ARRAY_LEN(pages));
    f.task.pages_given += lru_release(&f.system.lru, pages, ARRAY_LEN(pages));
    EXPECT_EQ(t, listed(&f.system), 0);
    fixture_end(t, &f);
}

/* A page whose user goes while it still waits in the batch is freed by the batch (I2 of lru.h). */
static void lru_batch_holds_a_reference(struct ktest *t)
{
    struct page *page;
    struct fixture f;

    if (!fixture_make(t, &f))
        return;
    list_pages(t, &f, &page, 1);
    EXPECT_EQ(t, lru_release(&f.system.lru, &page, 1), 0);
    f.task.pages_given += lru_drain(&f.system.lru, &f.task.batch);
    EXPECT_EQ(t, f.task.pages_given, 1);
    EXPECT_EQ(t, listed(&f.system), 0);
    fixture_end(t, &f);
}

static void lru_hold_is_bounded(struct ktest *t)
{
    static struct page *pages[2 * LRU_HOLD_PAGES + 1];
    struct fixture f;
    uint64_t holds;

    if (!fixture_make(t, &f))
        return;
    list_pages(t, &f, pages, ARRAY_LEN(pages));
    lru_drain(&f.system.lru, &f.task.batch);
    for (unsigned i = 1; i < ARRAY_LEN(pages); i++)
        if (pages[i]->node != pages[0]->node)
            ktest_skip(t, "pages of several nodes");
    holds = lru_holds(&f.system.lru);
    f.task.pages_given += lru_release(&f.system.lru, pages, ARRAY_LEN(pages));
    if (!t->skipped)
        EXPECT_EQ(t, lru_holds(&f.system.lru) - holds, 3);
    fixture_end(t, &f);
}

static void areas_are_sorted_and_disjoint(struct ktest *t)
{
    static const unsigned order[] = {7, 0, 14, 3, 10, 1, 13, 2, 12, 4, 11, 5, 9, 6, 8};
    const uint64_t step = 4 * ARCH_PAGE_BYTES, bytes = 3 * ARCH_PAGE_BYTES;
    int32_t rss[MM_RSS_COUNTERS] = {0};
    struct fixture f;
    struct mm *mm;

    if (!fixture_make(t, &f))
        return;
    mm = mm_create(&f.task);
    if (!EXPECT(t, mm != NULL))
        return;
    for (unsigned i = 0; i < ARRAY_LEN(order); i++) {
        uint64_t start = VA_ANON + order[i] * step;

        EXPECT_EQ(t, mm_area_add(&f.task, mm, start, start + bytes, MM_AREA_WRITE, 0), 0);
        EXPECT_EQ(t, mm_area_add(&f.task, mm, start + 1, start + bytes, 0, 0), -CS_EINVAL);
        EXPECT_EQ(t, mm_area_add(&f.task, mm, PAGE_VA(start, 2), PAGE_VA(start, 4), 0, 0),
                  -CS_EEXIST);
    }
    EXPECT_EQ(t, mm_area_add(&f.task, mm, 0x1000, 0x2000, 0, 0), -CS_ENOSPC);
    for (unsigned i = 0; i < MM_LEAF_AREAS; i++) {
        uint64_t start = VA_ANON + i * step;
        struct mm_area *area = mm_area_find(mm, start + bytes - 1);

        EXPECT(t, area && area->start == start);
        EXPECT(t, mm_area_find(mm, start) == area);
        EXPECT(t, !mm_area_find(mm, start + bytes));
    }
    EXPECT_EQ(t, mm_fault(&f.task, mm, VA_ANON - 1, false, rss), -CS_EINVAL);
    mm_take_down(&f, mm, rss);
    fixture_end(t, &f);
}

/* The sums that bench/mm_image.c states as measured. */
static void image_is_the_measured_one(struct ktest *t)
{
    int32_t rss[MM_RSS_COUNTERS] = {0};
    struct fixture f;
    struct mm *mm;

    if (!fixture_make(t, &f))
        return;
    mm = mm_create(&f.task);
    if (!EXPECT(t, mm != NULL))
        return;
    EXPECT_EQ(t, image_run(&f, mm, rss), 0);
    EXPECT_EQ(t, rss[MM_FILEPAGES], MM_IMAGE_RSS_FILE);
    EXPECT_EQ(t, rss[MM_ANONPAGES], MM_IMAGE_RSS_ANON);
    EXPECT_EQ(t, mm->tables, MM_IMAGE_TABLES);
    EXPECT_EQ(t, f.task.pages_taken, MM_IMAGE_RSS_ANON + MM_IMAGE_TABLES + 1);
    EXPECT_EQ(t, atomic_load(&f.system.vdso->mapcount), 1);
    for (unsigned i = 0; i < MM_IMAGE_FILE_PAGES; i++) {
        struct page *page = f.task.program->pages[i];
        struct page *mapped = mm_mapped(mm, PAGE_VA(0x400000, i));

        EXPECT(t, mapped != NULL);
        /* I2: the program's page itself, or a copy of it. */
        EXPECT_EQ(t, atomic_load(&page->mapcount), mapped == page);
        EXPECT_EQ(t, atomic_load(&page->refcount), 1 + (mapped == page));
        if (mapped)
            EXPECT_EQ(t, *(uint64_t *)page_to_virt(mapped), i);
    }
    mm_take_down(&f, mm, rss);
    for (unsigned i = 0; i < MM_RSS_COUNTERS; i++)
        EXPECT_EQ(t, rss[i], 0);
    for (unsigned i = 0; i < MM_IMAGE_FILE_PAGES; i++) {
        EXPECT_EQ(t, atomic_load(&f.task.program->pages[i]->refcount), 1);
        EXPECT_EQ(t, atomic_load(&f.task.program->pages[i]->mapcount), 0);
    }
    EXPECT_EQ(t, listed(&f.system), 0);
    EXPECT_EQ(t, atomic_load(&f.system.vdso->refcount), 1);
    fixture_end(t, &f);
}

static bool is_zero(const uint64_t *words)
{
    for (unsigned i = 0; i < ARCH_PAGE_BYTES / sizeof(*words); i++)
        if (words[i])
            return false;
    return true;
}

/* Anonymous memory across table borders: zeroed, found again by a walk, absent elsewhere. */
static void anonymous_faults_map_zeroed_pages(struct ktest *t)
{
    const uint64_t start = (1ull << 30) - 3 * ARCH_PAGE_BYTES; /* pte, pmd and pud change here */
    int32_t rss[MM_RSS_COUNTERS] = {0};
    struct page *pages[6];
    struct fixture f;
    struct mm *mm;

    if (!fixture_make(t, &f))
        return;
    mm = mm_create(&f.task);
    if (!EXPECT(t, mm != NULL))
        return;
    EXPECT_EQ(t, mm_area_add(&f.task, mm, start, PAGE_VA(start, 7), MM_AREA_WRITE, 0), 0);
    for (unsigned i = 0; i < ARRAY_LEN(pages); i++) {
        EXPECT_EQ(t, mm_fault(&f.task, mm, PAGE_VA(start, i) + 123, i % 2, rss), 0);
        EXPECT_EQ(t, mm_fault(&f.task, mm, PAGE_VA(start, i), true, rss), 0); /* nothing new */
        pages[i] = mm_mapped(mm, PAGE_VA(start, i));
        if (!EXPECT(t, pages[i] != NULL))
            continue;
        EXPECT(t, is_zero(page_to_virt(pages[i])));
        *(uint64_t *)page_to_virt(pages[i]) = ~0ull; /* for the next that gets the page */
        for (unsigned j = 0; j < i; j++)
            EXPECT(t, pages[j] != pages[i]);
    }
    EXPECT(t, !mm_mapped(mm, PAGE_VA(start, 6)));
    EXPECT(t, !mm_mapped(mm, 1ull << 40));
    EXPECT_EQ(t, rss[MM_ANONPAGES], ARRAY_LEN(pages));
    EXPECT_EQ(t, mm->tables, 5); /* pud, 2 pmd, 2 pte */
    mm_take_down(&f, mm, rss);
    EXPECT_EQ(t, rss[MM_ANONPAGES], 0);
    fixture_end(t, &f);
}

/* A page that was read is written: the copy takes its place, and its reference. */
static void written_copy_replaces_file_page(struct ktest *t)
{
    int32_t rss[MM_RSS_COUNTERS] = {0};
    const uint64_t start = VA_ANON;
    struct fixture f;
    struct page *copy;
    struct mm *mm;

    if (!fixture_make(t, &f))
        return;
    mm = mm_create(&f.task);
    if (!EXPECT(t, mm != NULL))
        return;
    EXPECT_EQ(
        t, mm_area_add(&f.task, mm, start, PAGE_VA(start, 4), MM_AREA_FILE | MM_AREA_WRITE, 40), 0);
    EXPECT_EQ(t, mm_area_add(&f.task, mm, PAGE_VA(start, 4), PAGE_VA(start, 5), MM_AREA_FILE, 44),
              0);
    EXPECT_EQ(t, mm_fault(&f.task, mm, start, false, rss), 0);
    EXPECT_EQ(t, rss[MM_FILEPAGES], 4); /* around, and not into the next area */
    EXPECT(t, mm_mapped(mm, PAGE_VA(start, 2)) == f.task.program->pages[42]);
    EXPECT_EQ(t, mm_fault(&f.task, mm, PAGE_VA(start, 2), true, rss), 0);
    copy = mm_mapped(mm, PAGE_VA(start, 2));
    if (EXPECT(t, copy && copy != f.task.program->pages[42]))
        EXPECT_EQ(t, *(uint64_t *)page_to_virt(copy), 42);
    EXPECT_EQ(t, rss[MM_FILEPAGES], 3);
    EXPECT_EQ(t, rss[MM_ANONPAGES], 1);
    EXPECT_EQ(t, atomic_load(&f.task.program->pages[42]->refcount), 1);
    EXPECT_EQ(t, mm_fault(&f.task, mm, PAGE_VA(start, 4), true, rss), -CS_EINVAL);
    mm_take_down(&f, mm, rss);
    EXPECT_EQ(t, rss[MM_FILEPAGES] | rss[MM_ANONPAGES], 0);
    fixture_end(t, &f);
}

static uint64_t pages_available(void)
{
    struct pages_stats stats;

    pages_stats(&stats);
    return stats.free_pages + stats.pcp_pages;
}

static void cycle_leaves_nothing_behind(struct ktest *t)
{
    uint64_t available = 0;
    struct fixture f;

    if (!fixture_make(t, &f))
        return;
    /* The first cycle fills the slabs' fronts; after it nothing more is taken. */
    for (unsigned round = 0; round < 10; round++) {
        int32_t rss[MM_RSS_COUNTERS] = {0};
        struct mm *mm = mm_create(&f.task);

        if (!EXPECT(t, mm != NULL))
            break;
        EXPECT_EQ(t, image_run(&f, mm, rss), 0);
        mm_take_down(&f, mm, rss);
        if (round == 0)
            available = pages_available();
        EXPECT_EQ(t, pages_available(), available);
        EXPECT_EQ(t, f.task.pages_taken, f.task.pages_given);
        EXPECT_EQ(t, rss[MM_FILEPAGES] | rss[MM_ANONPAGES], 0);
    }
    fixture_end(t, &f);
}

KTEST(mm_model, lru_batches_and_counts, KTEST_QUICK);
KTEST(mm_model, lru_batch_holds_a_reference, KTEST_QUICK);
KTEST(mm_model, lru_hold_is_bounded, KTEST_QUICK);
KTEST(mm_model, areas_are_sorted_and_disjoint, KTEST_QUICK);
KTEST(mm_model, image_is_the_measured_one, KTEST_QUICK);
KTEST(mm_model, anonymous_faults_map_zeroed_pages, KTEST_QUICK);
KTEST(mm_model, written_copy_replaces_file_page, KTEST_QUICK);
KTEST(mm_model, cycle_leaves_nothing_behind, KTEST_QUICK);
