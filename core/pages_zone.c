/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One zone: the buddy system (pages_internal.h has the invariants).
 *
 * Cost: a line for each struct page that is linked or asked; a split or merge of j orders touches j
 * buddies.
 */
#include "core/pages_internal.h"

LOCK_CLASS(page_zone_class, "page zone"); /* innermost */

void page_zone_init(struct page_zone *zone)
{
    spin_lock_init(&zone->lock, &page_zone_class);
    for (unsigned order = 0; order < PAGE_ORDERS; order++)
        list_init(&zone->free[order]);
}

static void link_block(struct page_zone *zone, struct page *page, unsigned order)
{
    page_set_flags(page, PAGE_FREE_BUDDY);
    page->order = order;
    list_add(&zone->free[order], &page->link);
    zone->orders_free |= 1u << order;
}

static void unlink_block(struct page_zone *zone, struct page *page, unsigned order)
{
    list_del(&page->link);
    if (list_empty(&zone->free[order]))
        zone->orders_free &= ~(1u << order);
}

struct page *page_zone_take(struct page_zone *zone, unsigned order)
{
    uint32_t fitting = zone->orders_free >> order << order;
    unsigned have;
    struct page *page;

    if (!fitting)
        return NULL;
    have = (unsigned)__builtin_ctz(fitting);
    page = LIST_ENTRY(zone->free[have].next, struct page, link);
    unlink_block(zone, page, have);
    while (have > order) {
        struct page *upper = page + (1ull << --have);

        upper->node = page->node;
        link_block(zone, upper, have);
    }
    page_set_flags(page, 0);
    page->order = order;
    zone->free_pages -= 1ull << order;
    return page;
}

void page_zone_give(struct page_zone *zone, struct page *page, unsigned order)
{
    uint64_t pfn = page_to_pfn(page);

    zone->free_pages += 1ull << order;
    for (; order < PAGE_MAX_ORDER; order++) {
        struct page *buddy = pfn_to_page(pfn ^ (1ull << order));

        if (!(page_flags(buddy) & PAGE_FREE_BUDDY) || buddy->order != order)
            break;
        unlink_block(zone, buddy, order);
        page_set_flags(buddy, 0);
        page_set_flags(page, 0);
        pfn &= ~(1ull << order);
        page = pfn_to_page(pfn);
    }
    link_block(zone, page, order);
}

void page_clear(void *va)
{
    uint64_t *words = va;

    for (unsigned i = 0; i < ARCH_PAGE_BYTES / sizeof(*words); i += 8) {
        /* The compiler must not turn this into a call of memset, which may be a string instruction.
         */
        __asm__ volatile("" : : "r"(words) : "memory");
        words[i] = words[i + 1] = words[i + 2] = words[i + 3] = 0;
        words[i + 4] = words[i + 5] = words[i + 6] = words[i + 7] = 0;
    }
}
