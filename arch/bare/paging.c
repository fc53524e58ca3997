/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling page tables. Tables are pages from hook_table_page(), reached through the direct map, and
 * are never given back: the areas that come and go use the same ones again.
 */
#include "arch/bare/paging.h"

#include <arch/hooks.h>
#include <arch/mmu.h>
#include <port/pte.h>

static uint64_t *table_below(uint64_t entry)
{
    return phys_to_virt(entry & PTE_ADDRESS);
}

/* The entry for `va` at `level`; NULL when a table on the way is missing and `create` is not set or
 * fails. *blocked: a larger page is in the way. */
static uint64_t *entry_at(uint64_t *table, uintptr_t va, unsigned level, bool create, bool *blocked)
{
    *blocked = false;
    for (unsigned at = PAGING_LEVELS; at > level; at--) {
        uint64_t *entry = &table[paging_index(va, at)];

        if (!pte_is_present(*entry)) {
            uint64_t page = create ? hook_table_page() : 0;

            if (!page)
                return NULL;
            pte_set_table(entry, page);
        } else if (!pte_is_table(*entry)) {
            *blocked = true;
            return NULL;
        }
        table = table_below(*entry);
    }
    return &table[paging_index(va, level)];
}

/* The largest page that fits at this place. */
static unsigned level_for(uintptr_t va, uint64_t phys, uint64_t bytes, unsigned max_level)
{
    unsigned level = max_level;

    while (level > 1 &&
           ((va | phys) % paging_level_bytes(level) || bytes < paging_level_bytes(level)))
        level--;
    return level;
}

static int map_one(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t flags, unsigned level)
{
    bool blocked;
    uint64_t *entry = entry_at(top, va, level, true, &blocked);

    if (!entry)
        return blocked ? -PAGING_EEXIST : -PAGING_ENOMEM;
    if (pte_is_present(*entry))
        return -PAGING_EEXIST;
    pte_set(entry, phys | flags | pte_leaf(level));
    return 0;
}

int paging_map(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
               unsigned max_level)
{
    uint64_t done = 0;
    int error = 0;

    while (done < bytes && !error) {
        unsigned level = level_for(va + done, phys + done, bytes - done, max_level);

        error = map_one(top, va + done, phys + done, flags, level);
        if (!error)
            done += paging_level_bytes(level);
    }
    /* Nobody has used them yet. Only 4-KiB mappings can fail and go on. */
    if (error)
        paging_unmap(top, va, done);
    pte_written();
    return error;
}

void paging_unmap(uint64_t *top, uintptr_t va, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes; done += ARCH_PAGE_BYTES) {
        bool blocked;
        uint64_t *entry = entry_at(top, va + done, 1, false, &blocked);

        if (entry)
            pte_set(entry, 0);
    }
}
