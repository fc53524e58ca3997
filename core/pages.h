/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page allocator: one buddy system a NUMA node ("zone") under its lock, per-CPU lists of order-0
 * (and order-9) pages in front.
 *
 * struct page is 64 bytes, one cache line, as in the field's kernels, since the storms measure what
 * touching it costs. Orders 0 … PAGE_MAX_ORDER. Cost of an order-0 pair from the CPU's list: its
 * list's line and the page's line; a refill or spill of PAGE_BATCH pages takes the zone lock once.
 *
 * Only the struct page of a block's first page is kept valid: those behind it are the user's to
 * fill, so that boot touches one struct page for each 4 MiB instead of all of them.
 *
 * Context: any CPU, interrupts in any state. Failure: NULL, nothing taken.
 */
#ifndef CORE_PAGES_H
#define CORE_PAGES_H

#include <stdatomic.h>

#include <arch/mmu.h>

#include "core/compiler.h"
#include "core/list.h"

#define PAGE_MAX_ORDER 10u
#define PAGE_BATCH 63u /* pages moved a refill; the list holds at most 4 batches */

enum page_flags {
    PAGE_FREE_BUDDY = 1u << 0, /* head of a free block in a zone */
    PAGE_FREE_PCP = 1u << 1,   /* in a per-CPU list */
    PAGE_SLAB = 1u << 2,
    PAGE_RESERVED = 1u << 3, /* not memory of the allocator */
};

struct page {
    _Atomic uint32_t flags; /* page_flags(), page_set_flags() */
    uint32_t order;
    _Atomic int32_t refcount;
    _Atomic int32_t mapcount;
    struct list link; /* owner's list, buddy's or LRU's */
    void *owner;      /* slab cache, or the user's */
    uint64_t private[2];
    uint32_t node;
    uint32_t used; /* slab: objects in use */
};
_Static_assert(sizeof(struct page) == 64, "one line for each page");

/* Takes all usable memory from the map; per-CPU lists come with pages_init_percpu(). */
void pages_init(void);
void pages_init_percpu(void);

#define PAGE_ZERO 1u /* flags of page_alloc: zeroed */

struct page *page_alloc(unsigned order, unsigned flags) must_check;
struct page *page_alloc_node(unsigned order, unsigned flags, uint32_t node) must_check;
/* refcount is ignored: the block of `order` at `page` goes back whole. */
void page_free(struct page *page, unsigned order);
/* Several order-0 pages under one hold of the zone lock, past the per-CPU list: what the exit path
 * does. All of one node or split by node. */
void page_free_many(struct page **pages, unsigned count);
/* The per-CPU lists of this CPU go back to the zones; returns pages given back. */
uint64_t pages_drain_cpu(void);

/* Relaxed: the owner writes them; a neighbour that is being freed reads them under the zone's lock,
 * and believes PAGE_FREE_BUDDY alone, which is set and cleared under that lock. */
static inline uint32_t page_flags(const struct page *page)
{
    return atomic_load_explicit(&page->flags, memory_order_relaxed);
}

static inline void page_set_flags(struct page *page, uint32_t flags)
{
    atomic_store_explicit(&page->flags, flags, memory_order_relaxed);
}

static inline struct page *pfn_to_page(uint64_t pfn)
{
    return (struct page *)VMEMMAP_BASE + pfn;
}

static inline uint64_t page_to_pfn(const struct page *page)
{
    return (uint64_t)(page - (struct page *)VMEMMAP_BASE);
}

static inline void *page_to_virt(const struct page *page)
{
    return phys_to_virt(page_to_pfn(page) << ARCH_PAGE_SHIFT);
}

static inline struct page *virt_to_page(const void *va)
{
    return pfn_to_page(virt_to_phys(va) >> ARCH_PAGE_SHIFT);
}

struct pages_stats {
    uint64_t total_pages, free_pages, pcp_pages, zone_lock_holds;
};
void pages_stats(struct pages_stats *out);
void pages_report(void);
/* Free blocks of an order in all zones (not in per-CPU lists). */
uint64_t pages_free_blocks(unsigned order);

/* The zone lock of a node, for lock profiles and for the page-list storm. */
struct spinlock *pages_zone_lock(uint32_t node);

#endif
