/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page allocator: struct pages are mapped and the zones filled.
 *
 *   VMEMMAP_BASE + 64 × frame:  |..unmapped..|### unit ###|### unit ###|....|### unit ###|
 *
 * A unit is 2 MiB of struct pages, for 128 MiB of memory, so that the port can use large pages. The
 * struct pages of a stretch of memory are taken from its own top, hence lie on its node.
 *
 * Boot writes a struct page for each block of 4 MiB, and all of them only in the blocks at the ends
 * of a range (Z3): initialising every one would cost a line each, 2 GiB of memory 32 MiB of stores.
 */
#include "core/memory_map.h"
#include "core/pages_internal.h"
#include "core/panic.h"
#include "core/topology.h"

#define UNIT_BYTES (2ull << 20)
#define UNIT_PAGES (UNIT_BYTES / sizeof(struct page))
#define UNIT_SPAN (UNIT_PAGES << ARCH_PAGE_SHIFT) /* bytes of memory that a unit describes */
#define STRETCH_UNITS_MAX 4096u /* 512 GiB; a stretch ends where the node changes, too */

struct page_zone *page_zones;

static void map_units(uint64_t first, uint64_t count, uint64_t from, uint64_t to)
{
    uint64_t bytes = count * UNIT_BYTES;
    uint64_t phys = bootmem_take(bytes, UNIT_BYTES, from, to);

    if (!phys)
        phys = bootmem_take(bytes, UNIT_BYTES, 0, UINT64_MAX);
    if (!phys && count > 1) { /* no single piece is large enough */
        map_units(first, count / 2, from, to);
        map_units(first + count / 2, count - count / 2, from, to);
        return;
    }
    if (!phys)
        phys = bootmem_take(bytes, ARCH_PAGE_BYTES, 0, UINT64_MAX);
    if (!phys || arch_map((uintptr_t)VMEMMAP_BASE + first * UNIT_BYTES, phys, bytes, ARCH_MAP_RW))
        panic("no memory for the struct pages of %llu MiB",
              (unsigned long long)(count * UNIT_SPAN >> 20));
}

static uint32_t unit_node(uint64_t unit)
{
    return topology_node_of_phys(unit * UNIT_SPAN);
}

/* The usable ranges are used here, not the free ones: taking changes those. */
static void map_vmemmap(void)
{
    uint64_t base, bytes, next_unit = 0;

    for (uint32_t i = 0; memory_map_usable(i, &base, &bytes) == 0; i++) {
        uint64_t unit = MAX(base / UNIT_SPAN, next_unit);
        uint64_t end = (base + bytes + UNIT_SPAN - 1) / UNIT_SPAN;

        while (unit < end) {
            uint64_t count = 1;

            while (unit + count < end && count < STRETCH_UNITS_MAX &&
                   unit_node(unit + count) == unit_node(unit))
                count++;
            map_units(unit, count, unit * UNIT_SPAN, (unit + count) * UNIT_SPAN);
            unit += count;
        }
        next_unit = MAX(next_unit, end);
    }
}

/* --- filling the zones --- */

static void reserve_block(uint64_t pfn)
{
    struct page *page = pfn_to_page(ALIGN_DOWN(pfn, PAGE_MAX_BLOCK));

    for (uint64_t i = 0; i < PAGE_MAX_BLOCK; i++)
        page_set_flags(&page[i], PAGE_RESERVED);
}

static uint32_t node_of_pfn(uint64_t pfn)
{
    return topology_node_of_phys(ALIGN_DOWN(pfn, PAGE_MAX_BLOCK) << ARCH_PAGE_SHIFT);
}

/* The largest order that a block at pfn can have and that ends by `end`. */
static unsigned order_at(uint64_t pfn, uint64_t end)
{
    unsigned order = pfn ? (unsigned)__builtin_ctzll(pfn) : PAGE_MAX_ORDER;

    order = MIN(order, PAGE_MAX_ORDER);
    while (pfn + (1ull << order) > end)
        order--;
    return order;
}

static void seed_range(uint64_t pfn, uint64_t end)
{
    while (pfn < end) {
        unsigned order = order_at(pfn, end);
        struct page *page = pfn_to_page(pfn);
        struct page_zone *zone;

        page->node = node_of_pfn(pfn);
        page_set_flags(page, 0);
        zone = &page_zones[page->node];
        zone->total_pages += 1ull << order;
        page_zone_give(zone, page, order);
        pfn += 1ull << order;
    }
}

/* Blocks that a range covers in part only: each frame of them gets a valid struct page first, since
 * it will be asked whether it is a free buddy. */
static void reserve_ends(void)
{
    uint64_t base, bytes;

    for (uint32_t i = 0; bootmem_free_range(i, &base, &bytes) == 0; i++) {
        uint64_t pfn = base >> ARCH_PAGE_SHIFT, end = (base + bytes) >> ARCH_PAGE_SHIFT;

        if (pfn % PAGE_MAX_BLOCK)
            reserve_block(pfn);
        if (end % PAGE_MAX_BLOCK)
            reserve_block(end);
    }
}

void pages_init(void)
{
    uint64_t base, bytes;
    uint64_t phys = bootmem_alloc(nr_nodes * sizeof(*page_zones), ARCH_PAGE_BYTES, 0);

    if (!phys)
        panic("no memory for %u page zones", nr_nodes);
    page_zones = phys_to_virt(phys);
    for (uint32_t node = 0; node < nr_nodes; node++)
        page_zone_init(&page_zones[node]);
    map_vmemmap();
    bootmem_close();
    reserve_ends();
    for (uint32_t i = 0; bootmem_free_range(i, &base, &bytes) == 0; i++)
        seed_range(base >> ARCH_PAGE_SHIFT, (base + bytes) >> ARCH_PAGE_SHIFT);
}
