/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of an address space: pages and page tables are gathered and released in batches; see
 * mm_model.h. The order is exit_mmap's: lists drained, areas unmapped, tables taken down, the
 * gather flushed, areas freed.
 */
#include "bench/mm_model.h"

#define SPAN_BYTES(level) ((uint64_t)ARCH_PAGE_BYTES << (9u * (level)))

static struct page **batch_of(struct mm_gather *gather)
{
    return page_to_virt(gather->batch_page);
}

static void gather_flush(struct mm_gather *gather)
{
    struct mm_task *task = gather->task;
    struct lru *lru = &task->system->lru;

    task->pages_given += lru_drain(lru, &task->batch);
    task->pages_given += lru_release(lru, gather->local, gather->nr_local);
    if (gather->nr_batch)
        task->pages_given += lru_release(lru, batch_of(gather), gather->nr_batch);
    gather->nr_local = gather->nr_batch = 0;
}

static void gather_add(struct mm_gather *gather, struct page *page)
{
    if (gather->nr_local == MM_GATHER_LOCAL && !gather->batch_page)
        gather->batch_page = mm_page_take(gather->task, 0);
    if (gather->nr_local == MM_GATHER_LOCAL &&
        (!gather->batch_page || gather->nr_batch == MM_GATHER_BATCH))
        gather_flush(gather);
    if (gather->nr_local < MM_GATHER_LOCAL)
        gather->local[gather->nr_local++] = page;
    else
        batch_of(gather)[gather->nr_batch++] = page;
}

void mm_exit_begin(struct mm_gather *gather, struct mm_task *task)
{
    gather->task = task;
    gather->nr_local = gather->nr_batch = 0;
    gather->batch_page = NULL;
    task->pages_given += lru_drain(&task->system->lru, &task->batch);
}

static void zap_entries(struct mm_gather *gather, uint64_t *entry, unsigned nr,
                        int32_t rss[MM_RSS_COUNTERS])
{
    for (; nr; nr--, entry++) {
        struct page *page;

        if (!(*entry & MM_PRESENT))
            continue;
        page = mm_entry_page(*entry);
        *entry = 0;
        rss[page->private[0] & PAGE_ANON ? MM_ANONPAGES : MM_FILEPAGES]--;
        atomic_fetch_sub_explicit(&page->mapcount, 1, memory_order_relaxed);
        gather_add(gather, page);
    }
}

void mm_exit_area(struct mm_gather *gather, struct mm *mm, unsigned i, int32_t rss[MM_RSS_COUNTERS])
{
    const struct mm_area *area = mm->leaf->areas[i];

    for (uint64_t at = area->start, next; at < area->end; at = next) {
        uint64_t *entry = mm_entry(mm, at, 0, NULL);

        next = MIN(ALIGN_DOWN(at, SPAN_BYTES(1)) + SPAN_BYTES(1), area->end);
        if (!entry)
            continue;
        spin_lock(&mm->table_lock);
        zap_entries(gather, entry, (unsigned)((next - at) >> ARCH_PAGE_SHIFT), rss);
        spin_unlock(&mm->table_lock);
    }
}

/* Takes down the tables that entries of `level` point to, where areas lie. */
static void free_tables(struct mm_gather *gather, struct mm *mm, unsigned level)
{
    for (unsigned i = 0; i < mm->leaf->nr; i++) {
        const struct mm_area *area = mm->leaf->areas[i];
        uint64_t at = ALIGN_DOWN(area->start, SPAN_BYTES(level));

        for (; at < area->end; at += SPAN_BYTES(level)) {
            uint64_t *entry = mm_entry(mm, at, level, NULL);

            if (!entry || !(*entry & MM_PRESENT))
                continue;
            gather_add(gather, mm_entry_page(*entry));
            *entry = 0;
            mm->tables--;
        }
    }
}

void mm_exit_end(struct mm_gather *gather, struct mm *mm)
{
    struct mm_task *task = gather->task;

    for (unsigned level = 1; level < MM_LEVELS; level++)
        free_tables(gather, mm, level);
    gather_flush(gather);
    if (gather->batch_page) {
        page_free(gather->batch_page, 0);
        task->pages_given++;
    }
    mm_areas_free(task, mm);
}
