/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables and the faults that fill them; see mm_model.h.
 *
 * A fault finds its area, holds the area's lock as a reader, makes the tables that are missing, and
 * writes entries under the mm's table lock. Whatever was allocated before a failure is either freed
 * here or reachable from the mm.
 */
#include "bench/mm_model.h"

#include "core/errno.h"
#include "core/string.h"

#define INDEX_BITS 9u

static unsigned entry_index(uint64_t va, unsigned level)
{
    return (va >> (ARCH_PAGE_SHIFT + level * INDEX_BITS)) % MM_ENTRIES;
}

static uint64_t *table_of(uint64_t entry)
{
    return phys_to_virt(entry & ~(uint64_t)MM_ENTRY_FLAGS);
}

static bool table_make(struct mm *mm, uint64_t *entry, struct mm_task *task)
{
    struct page *page = task ? mm_page_take(task, PAGE_ZERO) : NULL;

    if (!page)
        return false;
    *entry = mm_page_entry(page, MM_PRESENT | MM_WRITABLE);
    mm->tables++;
    return true;
}

uint64_t *mm_entry(struct mm *mm, uint64_t va, unsigned level, struct mm_task *task)
{
    uint64_t *table = mm->pgd;

    for (unsigned at = MM_LEVELS - 1; at > level; at--) {
        uint64_t *entry = &table[entry_index(va, at)];

        if (!(*entry & MM_PRESENT) && !table_make(mm, entry, task))
            return NULL;
        table = table_of(*entry);
    }
    return &table[entry_index(va, level)];
}

struct page *mm_mapped(struct mm *mm, uint64_t va)
{
    const uint64_t *entry = mm_entry(mm, va, 0, NULL);

    return entry && *entry & MM_PRESENT ? mm_entry_page(*entry) : NULL;
}

static void map_page(uint64_t *entry, struct page *page, uint64_t flags)
{
    atomic_fetch_add_explicit(&page->mapcount, 1, memory_order_relaxed);
    *entry = mm_page_entry(page, MM_PRESENT | flags);
}

static struct page *file_page(struct mm_task *task, const struct mm_area *area, uint64_t va)
{
    return task->program->pages[area->file_page + ((va - area->start) >> ARCH_PAGE_SHIFT)];
}

/* The read-only file page that a written copy takes the place of. */
static void unmap_file_page(struct mm_task *task, uint64_t entry, int32_t rss[MM_RSS_COUNTERS])
{
    struct page *page = mm_entry_page(entry);

    atomic_fetch_sub_explicit(&page->mapcount, 1, memory_order_relaxed);
    task->pages_given += lru_release(&task->system->lru, &page, 1);
    rss[MM_FILEPAGES]--;
}

/* A page of the task's own: zeroed, or a copy of the program's. */
static int fault_anon(struct mm_task *task, struct mm_area *area, uint64_t va, uint64_t *entry,
                      int32_t rss[MM_RSS_COUNTERS])
{
    bool copy = area->flags & MM_AREA_FILE;
    struct page *page;

    if (mm_area_anon(task, area))
        return -CS_ENOMEM;
    page = mm_page_take(task, copy ? 0 : PAGE_ZERO);
    if (!page)
        return -CS_ENOMEM;
    if (copy)
        memcpy(page_to_virt(page), page_to_virt(file_page(task, area, va)), ARCH_PAGE_BYTES);
    page->private[0] = PAGE_ANON;
    page->owner = area->anon;

    spin_lock(&area->mm->table_lock);
    if (*entry & MM_PRESENT)
        unmap_file_page(task, *entry, rss);
    lru_add(&task->system->lru, &task->batch, page);
    map_page(entry, page, MM_WRITABLE);
    spin_unlock(&area->mm->table_lock);
    rss[MM_ANONPAGES]++;
    return 0;
}

/* The program's pages around va: those of an aligned window of 16 that the area has and that are
 * not mapped yet. A window never crosses into another table, and a program is in the cache whole.
 */
static void fault_around(struct mm_task *task, struct mm_area *area, uint64_t va, uint64_t *entry,
                         int32_t rss[MM_RSS_COUNTERS])
{
    const uint64_t window_bytes = MM_FAULT_AROUND_PAGES * ARCH_PAGE_BYTES;
    uint64_t at = MAX(ALIGN_DOWN(va, window_bytes), area->start);
    uint64_t end = MIN(ALIGN_DOWN(va, window_bytes) + window_bytes, area->end);

    entry -= (ALIGN_DOWN(va, ARCH_PAGE_BYTES) - at) >> ARCH_PAGE_SHIFT;
    spin_lock(&area->mm->table_lock);
    for (; at < end; at += ARCH_PAGE_BYTES, entry++) {
        struct page *page = file_page(task, area, at);

        if (*entry & MM_PRESENT)
            continue;
        page_get(page);
        map_page(entry, page, 0);
        rss[MM_FILEPAGES]++;
    }
    spin_unlock(&area->mm->table_lock);
}

static void fault_special(struct mm_task *task, struct mm_area *area, uint64_t *entry,
                          int32_t rss[MM_RSS_COUNTERS])
{
    spin_lock(&area->mm->table_lock);
    page_get(task->system->vdso);
    map_page(entry, task->system->vdso, 0);
    spin_unlock(&area->mm->table_lock);
    rss[MM_FILEPAGES]++;
}

static int fault_in_area(struct mm_task *task, struct mm_area *area, uint64_t va, bool write,
                         int32_t rss[MM_RSS_COUNTERS])
{
    uint64_t *entry = mm_entry(area->mm, va, 0, task);

    if (!entry)
        return -CS_ENOMEM;
    if (*entry & MM_PRESENT && (!write || *entry & MM_WRITABLE))
        return 0;
    if (write && !(area->flags & MM_AREA_WRITE))
        return -CS_EINVAL;
    if (write || !(area->flags & (MM_AREA_FILE | MM_AREA_SPECIAL)))
        return fault_anon(task, area, va, entry, rss);
    if (area->flags & MM_AREA_SPECIAL)
        fault_special(task, area, entry, rss);
    else
        fault_around(task, area, va, entry, rss);
    return 0;
}

int mm_fault(struct mm_task *task, struct mm *mm, uint64_t va, bool write,
             int32_t rss[MM_RSS_COUNTERS])
{
    struct mm_area *area = mm_area_find(mm, va);
    int error;

    if (!area)
        return -CS_EINVAL;
    /* As a reader of the area's lock; the mapping above is older, writers are the task's own. */
    atomic_fetch_add_explicit(&area->lock->readers, 1, memory_order_acquire);
    error = fault_in_area(task, area, va, write, rss);
    atomic_fetch_sub_explicit(&area->lock->readers, 1, memory_order_release);
    return error;
}
