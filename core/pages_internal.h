/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the page allocator share: zones.
 *
 * Z1. A free block of order k begins at a page frame number that is a multiple of 2^k; its first
 *     struct page has PAGE_FREE_BUDDY, the order, and is in the zone's list of that order.
 * Z2. Two free buddies of one order below PAGE_MAX_ORDER are never both listed: they were merged.
 * Z3. The struct page at 2^k-aligned frames inside a block is valid for every k at which a buddy is
 *     asked for: splitting writes both halves, boot writes the ends of the ranges (PAGE_RESERVED).
 * Z4. All pages of a 2^PAGE_MAX_ORDER block are of one zone.
 *
 * Lock order: a zone lock is innermost, no two at once.
 */
#ifndef CORE_PAGES_INTERNAL_H
#define CORE_PAGES_INTERNAL_H

#include "core/pages.h"
#include "core/spinlock.h"

#define PAGE_ORDERS (PAGE_MAX_ORDER + 1)
#define PAGE_MAX_BLOCK (1ull << PAGE_MAX_ORDER) /* pages */
/* Freeing such a page is a bug. */
#define PAGE_NOT_HELD (PAGE_FREE_BUDDY | PAGE_FREE_PCP | PAGE_RESERVED)

struct page_zone {
    struct spinlock lock;
    uint32_t orders_free; /* a bit for each list that is not empty */
    uint64_t free_pages, total_pages, lock_holds;
    struct list free[PAGE_ORDERS];
} cacheline_aligned;

extern struct page_zone *page_zones; /* nr_nodes of them */

static inline void page_zone_lock(struct page_zone *zone)
{
    spin_lock(&zone->lock);
    zone->lock_holds++;
}

static inline void page_zone_unlock(struct page_zone *zone)
{
    spin_unlock(&zone->lock);
}

void page_zone_init(struct page_zone *zone);
/* Both with the zone locked. */
struct page *page_zone_take(struct page_zone *zone, unsigned order);
void page_zone_give(struct page_zone *zone, struct page *page, unsigned order);

/* Clears one page with plain stores: under emulation string instructions are slow. */
void page_clear(void *va);

#endif
