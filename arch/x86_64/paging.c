/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling and reading page tables. Tables are pages from hook_table_page(), reached through the
 * direct map, and are never given back: the areas that come and go use the same ones again.
 */
#include "arch/x86_64/paging.h"

#include <arch/hooks.h>
#include <arch/mmu.h>

#include "arch/x86_64/x86.h"

static unsigned index_at(uintptr_t va, unsigned level)
{
    return (unsigned)(va / paging_level_bytes(level)) % TABLE_ENTRIES;
}

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
        uint64_t *entry = &table[index_at(va, at)];

        if (!(*entry & PTE_PRESENT)) {
            uint64_t page = create ? hook_table_page() : 0;

            if (!page)
                return NULL;
            *entry = page | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED;
        } else if (*entry & PTE_LARGE) {
            *blocked = true;
            return NULL;
        }
        table = table_below(*entry);
    }
    return &table[index_at(va, level)];
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

static int map_one(uint64_t *top, uintptr_t va, uint64_t leaf, unsigned level)
{
    bool blocked;
    uint64_t *entry = entry_at(top, va, level, true, &blocked);

    if (!entry)
        return blocked ? -X86_EEXIST : -X86_ENOMEM;
    if (*entry & PTE_PRESENT)
        return -X86_EEXIST;
    *entry = leaf | (level > 1 ? PTE_LARGE : 0);
    return 0;
}

int paging_map(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
               unsigned max_level)
{
    uint64_t done = 0;

    while (done < bytes) {
        unsigned level = level_for(va + done, phys + done, bytes - done, max_level);
        int error = map_one(top, va + done, (phys + done) | flags | PTE_LEAF, level);

        if (error) {
            /* Nobody has used them yet. Only 4-KiB mappings can fail and go on. */
            paging_unmap(top, va, done);
            return error;
        }
        done += paging_level_bytes(level);
    }
    return 0;
}

void paging_unmap(uint64_t *top, uintptr_t va, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes; done += ARCH_PAGE_BYTES) {
        bool blocked;
        uint64_t *entry = entry_at(top, va + done, 1, false, &blocked);

        if (entry)
            *entry = 0;
    }
}

uint64_t paging_lookup(uint64_t *top, uintptr_t va, unsigned *level)
{
    uint64_t *table = top;

    for (*level = PAGING_LEVELS;; --*level) {
        uint64_t entry = table[index_at(va, *level)];

        if (!(entry & PTE_PRESENT))
            return 0;
        if (*level == 1 || entry & PTE_LARGE)
            return entry;
        table = table_below(entry);
    }
}
