/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of an address space that shares its pages; see mm_model.h. */
#include "bench/mm_model.h"

#include "core/errno.h"

/* The child's area hangs on the parent's anon object too: pages of both may be in it. */
static int fork_link_anon(struct mm_task *task, struct mm_anon *anon, struct mm_area *area)
{
    struct mm_anon_chain *chain = slab_alloc(task->system->chains, 0);

    if (!chain)
        return -CS_ENOMEM;
    chain->area = area;
    chain->anon = anon;
    list_add(&area->chains, &chain->of_area);
    list_add(&anon->chains, &chain->of_anon);
    anon->users++;
    return mm_area_anon(task, area);
}

static int fork_copy_entry(struct mm_task *task, uint64_t va, const uint64_t *from,
                           struct mm *child, int32_t rss[MM_RSS_COUNTERS])
{
    uint64_t *to = mm_entry(child, va, 0, task);
    struct page *page = mm_entry_page(*from);

    if (!to)
        return -CS_ENOMEM;
    page_get(page);
    atomic_fetch_add_explicit(&page->mapcount, 1, memory_order_relaxed);
    *to = mm_page_entry(page, MM_PRESENT); /* not writable: copied when written */
    rss[page->private[0] & PAGE_ANON ? MM_ANONPAGES : MM_FILEPAGES]++;
    return 0;
}

static int fork_copy_area(struct mm_task *task, struct mm *parent, const struct mm_area *area,
                          struct mm *child, int32_t rss[MM_RSS_COUNTERS])
{
    int error = mm_area_add(task, child, area->start, area->end, area->flags, area->file_page);

    if (error || !area->anon)
        return error;
    error = fork_link_anon(task, area->anon, mm_area_find(child, area->start));
    for (uint64_t va = area->start; !error && va < area->end; va += ARCH_PAGE_BYTES) {
        const uint64_t *from = mm_entry(parent, va, 0, NULL);

        if (from && *from & MM_PRESENT)
            error = fork_copy_entry(task, va, from, child, rss);
    }
    return error;
}

int mm_fork(struct mm_task *task, struct mm *parent, struct mm *child, int32_t rss[MM_RSS_COUNTERS])
{
    int error = 0;

    for (unsigned i = 0; !error && i < parent->leaf->nr; i++)
        error = fork_copy_area(task, parent, parent->leaf->areas[i], child, rss);
    return error;
}
