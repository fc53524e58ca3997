/* SPDX-License-Identifier: Apache-2.0 */
/* The page tables of the bare-metal ports: what mapping refuses, and what all entries say. */
#include <arch/mmu.h>
#include <port/pte.h>

#include "arch/bare/probe.h"
#include "arch/bare/space.h"
#include "core/errno.h"
#include "core/pages.h"
#include "core/selftest.h"

extern char text_start[], rodata_start[];

static bool is_readable(uintptr_t va)
{
    uint64_t value;

    return probe_read64(va, &value);
}

/* A mapping is never made over another one, and a request that fails leaves nothing behind. */
static void mappings_do_not_overlap(struct ktest *t)
{
    struct page *page = page_alloc(0, PAGE_ZERO);
    uintptr_t va = WINDOWS_END - 3 * ARCH_PAGE_BYTES;
    uint64_t phys;

    if (!EXPECT(t, page != NULL))
        return;
    phys = page_to_pfn(page) << ARCH_PAGE_SHIFT;
    EXPECT_EQ(t, arch_map(va + 2 * ARCH_PAGE_BYTES, phys, ARCH_PAGE_BYTES, 0), 0);
    EXPECT_EQ(t, arch_map(va, phys, 3 * ARCH_PAGE_BYTES, ARCH_MAP_RW), -CS_EEXIST);
    EXPECT(t, !is_readable(va));
    EXPECT(t, is_readable(va + 2 * ARCH_PAGE_BYTES));
    EXPECT(t, !probe_write8(va + 2 * ARCH_PAGE_BYTES, 0));
    EXPECT_EQ(t, arch_map((uintptr_t)page_to_virt(page), phys, ARCH_PAGE_BYTES, 0), -CS_EEXIST);
    arch_unmap(va + 2 * ARCH_PAGE_BYTES, ARCH_PAGE_BYTES);
    EXPECT(t, !is_readable(va + 2 * ARCH_PAGE_BYTES));
    page_free(page, 0);
}
KTEST(bare_paging, mappings_do_not_overlap, KTEST_QUICK);

struct walk {
    uint64_t leaves, executable_bytes, for_users, writable_executable;
};

static void walk_table(struct walk *w, const uint64_t *table, unsigned level)
{
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        uint64_t entry = table[i];

        if (!pte_is_present(entry))
            continue;
        if (level > 1 && pte_is_table(entry)) {
            walk_table(w, phys_to_virt(entry & PTE_ADDRESS), level - 1);
            continue;
        }
        w->leaves++;
        w->for_users += pte_is_for_users(entry);
        if (!pte_is_executable(entry))
            continue;
        w->executable_bytes += paging_level_bytes(level);
        w->writable_executable += pte_is_writable(entry);
    }
}

/* What the tables say, entry by entry. */
static void tables_keep_to_w_xor_x(struct ktest *t)
{
    struct walk w = {0};
    uint64_t text = (uint64_t)(rodata_start - text_start);

    if (pte_is_executable(space_leaf_flags(0))) {
        ktest_skip(t, "the processor cannot forbid execution");
        return;
    }
    walk_table(&w, kernel_root, PAGING_LEVELS);
    EXPECT(t, w.leaves > 100);
    EXPECT_EQ(t, w.writable_executable, 0);
    EXPECT_EQ(t, w.for_users, 0);
    EXPECT_EQ(t, w.executable_bytes, text);
}
KTEST(bare_paging, tables_keep_to_w_xor_x, KTEST_QUICK);
