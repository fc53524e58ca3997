/* SPDX-License-Identifier: Apache-2.0 */
/* The areas of an address space and their anonymous parts; see mm_model.h. */
#include "bench/mm_model.h"

#include "core/errno.h"

/* Where an area that ends at `end` belongs: the first that ends later. */
static unsigned leaf_slot(const struct mm_leaf *leaf, uint64_t va)
{
    unsigned i = 0;

    while (i < leaf->nr && leaf->ends[i] <= va)
        i++;
    return i;
}

struct mm_area *mm_area_find(const struct mm *mm, uint64_t va)
{
    const struct mm_leaf *leaf = mm->leaf;
    unsigned i = leaf_slot(leaf, va);

    return i < leaf->nr && leaf->areas[i]->start <= va ? leaf->areas[i] : NULL;
}

static void leaf_insert(struct mm_leaf *leaf, unsigned slot, struct mm_area *area)
{
    for (unsigned i = (unsigned)leaf->nr++; i > slot; i--) {
        leaf->areas[i] = leaf->areas[i - 1];
        leaf->ends[i] = leaf->ends[i - 1];
    }
    leaf->areas[slot] = area;
    leaf->ends[slot] = area->end;
}

int mm_area_add(struct mm_task *task, struct mm *mm, uint64_t start, uint64_t end, uint32_t flags,
                uint32_t file_page)
{
    struct mm_leaf *leaf = mm->leaf;
    unsigned slot = leaf_slot(leaf, start);
    struct mm_area *area;

    if (start >= end || (start | end) % ARCH_PAGE_BYTES)
        return -CS_EINVAL;
    if (slot < leaf->nr && leaf->areas[slot]->start < end)
        return -CS_EEXIST;
    if (leaf->nr == MM_LEAF_AREAS)
        return -CS_ENOSPC;
    area = slab_alloc(task->system->areas, SLAB_ZERO);
    if (!area)
        return -CS_ENOMEM;
    area->lock = slab_alloc(task->system->area_locks, SLAB_ZERO);
    if (!area->lock) {
        slab_free(task->system->areas, area);
        return -CS_ENOMEM;
    }
    area->start = start;
    area->end = end;
    area->flags = flags;
    area->file_page = file_page;
    area->mm = mm;
    list_init(&area->chains);
    leaf_insert(leaf, slot, area);
    return 0;
}

int mm_area_anon(struct mm_task *task, struct mm_area *area)
{
    struct mm_system *system = task->system;
    struct mm_anon_chain *chain;
    struct mm_anon *anon;

    if (area->anon)
        return 0;
    chain = slab_alloc(system->chains, 0);
    anon = chain ? slab_alloc(system->anons, 0) : NULL;
    if (!anon) {
        if (chain)
            slab_free(system->chains, chain);
        return -CS_ENOMEM;
    }
    list_init(&anon->chains);
    anon->users = 1;
    chain->area = area;
    chain->anon = anon;
    list_add(&area->chains, &chain->of_area);
    list_add(&anon->chains, &chain->of_anon);
    area->anon = anon;
    return 0;
}

static void area_unlink_anon(struct mm_system *system, struct mm_area *area)
{
    while (!list_empty(&area->chains)) {
        struct mm_anon_chain *chain = LIST_ENTRY(area->chains.next, struct mm_anon_chain, of_area);
        struct mm_anon *anon = chain->anon;

        list_del(&chain->of_area);
        list_del(&chain->of_anon);
        slab_free(system->chains, chain);
        if (--anon->users == 0)
            slab_free(system->anons, anon);
    }
}

void mm_areas_free(struct mm_task *task, struct mm *mm)
{
    struct mm_leaf *leaf = mm->leaf;

    for (unsigned i = 0; i < leaf->nr; i++) {
        struct mm_area *area = leaf->areas[i];

        area_unlink_anon(task->system, area);
        slab_free(task->system->area_locks, area->lock);
        slab_free(task->system->areas, area);
    }
    leaf->nr = 0;
}
