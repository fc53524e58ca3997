/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory before the page allocator: taken from the top of the highest range that fits, so that the
 * scarce memory below 1 MiB and 4 GiB stays.
 *
 * B1. free_ranges are ascending, disjoint, whole pages, inside the usable ranges.
 * B2. What is handed out never comes back; after bootmem_close() nothing is handed out.
 *
 * Context: boot CPU only.
 */
#include "core/bootmem.h"

#include <arch/hooks.h>
#include <arch/mmu.h>

#include "core/errno.h"
#include "core/memory_map.h"
#include "core/pages.h"
#include "core/string.h"

static struct memory_range *free_ranges;
static uint32_t nr_free_ranges, free_capacity;
static bool direct_map_ready, closed;
static uint64_t low_page;

void bootmem_init(const struct memory_range *usable, uint32_t nr_usable,
                  struct memory_range *storage, uint32_t capacity)
{
    memcpy(storage, usable, nr_usable * sizeof(*usable));
    free_ranges = storage;
    nr_free_ranges = nr_usable;
    free_capacity = capacity;
}

static void remove_range(uint32_t i)
{
    nr_free_ranges--;
    memmove(&free_ranges[i], &free_ranges[i + 1], (nr_free_ranges - i) * sizeof(*free_ranges));
}

static void insert_range(uint32_t i, uint64_t base, uint64_t bytes)
{
    memmove(&free_ranges[i + 1], &free_ranges[i], (nr_free_ranges - i) * sizeof(*free_ranges));
    free_ranges[i] = (struct memory_range){base, bytes};
    nr_free_ranges++;
}

/* Takes [base, end) out of range i, which holds it. With no room for another range the smaller rest
 * is lost. */
static void cut(uint32_t i, uint64_t base, uint64_t end)
{
    uint64_t before = base - free_ranges[i].base;
    uint64_t after = free_ranges[i].base + free_ranges[i].bytes - end;

    if (before && after && nr_free_ranges < free_capacity)
        insert_range(i + 1, end, after);
    else if (after > before) {
        free_ranges[i] = (struct memory_range){end, after};
        return;
    }
    free_ranges[i].bytes = before;
    if (!before)
        remove_range(i);
}

void bootmem_exclude(uint64_t base, uint64_t bytes)
{
    for (uint32_t i = 0; i < nr_free_ranges; i++) {
        const struct memory_range *r = &free_ranges[i];

        if (base >= r->base && base + bytes <= r->base + r->bytes) {
            cut(i, base, base + bytes);
            return;
        }
    }
}

uint64_t bootmem_take(uint64_t bytes, uint64_t align, uint64_t from, uint64_t to)
{
    bytes = ALIGN_UP(bytes, (uint64_t)ARCH_PAGE_BYTES);
    align = MAX(align, (uint64_t)ARCH_PAGE_BYTES);
    for (uint32_t i = closed ? 0 : nr_free_ranges; i-- > 0;) {
        uint64_t low = MAX(free_ranges[i].base, from);
        uint64_t high = MIN(free_ranges[i].base + free_ranges[i].bytes, to), base;

        if (high <= low || high - low < bytes)
            continue;
        base = ALIGN_DOWN(high - bytes, align);
        if (base < low)
            continue;
        cut(i, base, base + bytes);
        return base;
    }
    return 0;
}

uint64_t bootmem_alloc(uint64_t bytes, uint64_t align, uint64_t below)
{
    uint64_t to = below ? below : UINT64_MAX, phys;

    if (!direct_map_ready)
        to = MIN(to, ARCH_EARLY_END);
    phys = bootmem_take(bytes, align, 0, to);
    if (phys)
        memset(phys_to_virt(phys), 0, ALIGN_UP(bytes, (uint64_t)ARCH_PAGE_BYTES));
    return phys;
}

void bootmem_direct_map_ready(void)
{
    direct_map_ready = true;
}

int bootmem_free_range(uint32_t i, uint64_t *base, uint64_t *bytes)
{
    if (i >= nr_free_ranges)
        return -CS_ENOENT;
    *base = free_ranges[i].base;
    *bytes = free_ranges[i].bytes;
    return 0;
}

void bootmem_close(void)
{
    closed = true;
}

/* --- for the ports --- */

void bootmem_keep_low_page(void)
{
    low_page = bootmem_take(ARCH_PAGE_BYTES, ARCH_PAGE_BYTES, 0, BOOTMEM_LOW_END);
}

uint64_t hook_low_page(void)
{
    return low_page;
}

uint64_t hook_table_page(void)
{
    struct page *page;

    if (!closed)
        return bootmem_alloc(ARCH_PAGE_BYTES, ARCH_PAGE_BYTES, 0);
    page = page_alloc(0, PAGE_ZERO);
    return page ? page_to_pfn(page) << ARCH_PAGE_SHIFT : 0;
}
