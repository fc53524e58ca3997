/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map: firmware's entries swept from low to high addresses.
 *
 *     entries    |--usable--|   |---usable----|            of any order and number
 *                      |--reserved--|   |-usable--|
 *     result     |-----|               |----------|        sorted, disjoint, whole pages
 *
 * The sweep keeps no state: at an address it asks every entry whether it covers the address and
 * where the next boundary is. That costs entries × boundaries, and needs no memory before there is
 * any: the first pass counts the ranges, the second fills a table that lies in one of them.
 *
 * M1. A byte is usable only if a usable entry covers it and nothing else does: no other entry, no
 *     hole. M2. Ranges are whole pages, ascending, disjoint and not adjacent.
 */
#include "core/memory_map.h"

#include <arch/mmu.h>

#include "core/bootmem.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/panic.h"
#include "core/param.h"
#include "core/string.h"

/* Addresses beyond this are not looked at: more than any machine has, less than the kernel's
 * address space has room for (direct map and struct pages). */
#define PHYS_LIMIT (1ull << 46)
#define MEMORY_PARAM_MIN (16ll << 20)

static int64_t memory_limit_bytes = INT64_MAX;

PARAM_NUMBER(memory_limit, "mem", memory_limit_bytes, MEMORY_PARAM_MIN, INT64_MAX,
             "a size of 16M or more", "use only so much memory, from the lowest address on");

static struct memory_range *usable;
static uint32_t nr_usable;

static struct {
    uint32_t entries, wrapping, overlapping, unknown;
    uint32_t unknown_type; /* of the last one */
} seen;

/* --- the sweep --- */

static struct boot_mem_range entry_at(const struct memory_source *src, uint32_t i)
{
    struct boot_mem_range entry;

    memcpy(&entry, (const char *)src->entries + (size_t)i * src->stride, sizeof(entry));
    return entry;
}

/* The end of an entry: one that wraps reaches to the end of the address space if it forbids, and
 * nowhere if it allows. */
static uint64_t entry_end(uint64_t base, uint64_t bytes, bool allows)
{
    uint64_t end;

    if (!__builtin_add_overflow(base, bytes, &end))
        return end;
    return allows ? base : UINT64_MAX;
}

static void boundary(uint64_t at, uint64_t x, uint64_t *next)
{
    if (at > x && at < *next)
        *next = at;
}

/* Whether the byte at x is usable; *next is where that may change. */
static bool usable_at(const struct memory_source *src, uint64_t x, uint64_t *next)
{
    bool allowed = false, forbidden = x >= PHYS_LIMIT;

    *next = UINT64_MAX;
    boundary(PHYS_LIMIT, x, next);
    for (uint32_t i = 0; i < src->count; i++) {
        struct boot_mem_range e = entry_at(src, i);
        bool allows = e.type == BOOT_MEM_USABLE;
        uint64_t end = entry_end(e.base, e.bytes, allows);

        if (end == e.base)
            continue;
        boundary(e.base, x, next);
        boundary(end, x, next);
        if (e.base <= x && x < end) {
            allowed |= allows;
            forbidden |= !allows;
        }
    }
    for (uint32_t i = 0; i < src->nr_holes; i++) {
        uint64_t base = src->holes[i].base, end = entry_end(base, src->holes[i].bytes, false);

        boundary(base, x, next);
        boundary(end, x, next);
        forbidden |= base <= x && x < end;
    }
    return allowed && !forbidden;
}

int memory_source_next(const struct memory_source *src, uint64_t from, uint64_t *base,
                       uint64_t *bytes)
{
    uint64_t x = from, end, next;

    while (x < PHYS_LIMIT) {
        if (!usable_at(src, x, &next)) {
            x = next;
            continue;
        }
        for (end = next; end < PHYS_LIMIT && usable_at(src, end, &next); end = next)
            ;
        x = ALIGN_UP(x, (uint64_t)ARCH_PAGE_BYTES);
        if (x < ALIGN_DOWN(end, (uint64_t)ARCH_PAGE_BYTES)) {
            *base = x;
            *bytes = ALIGN_DOWN(end, (uint64_t)ARCH_PAGE_BYTES) - x;
            return 0;
        }
        x = end;
    }
    return -CS_ENOENT;
}

/* --- the machine's map --- */

static uint32_t count_ranges(const struct memory_source *src)
{
    uint64_t base = 0, bytes = 0;
    uint32_t count = 0;

    while (memory_source_next(src, base + bytes, &base, &bytes) == 0)
        count++;
    return count;
}

static bool type_is_known(uint32_t type)
{
    return type >= BOOT_MEM_USABLE && type <= BOOT_MEM_BAD;
}

static void note_problems(const struct memory_source *src)
{
    seen.entries = src->count;
    for (uint32_t i = 0; i < src->count; i++) {
        struct boot_mem_range a = entry_at(src, i);
        uint64_t end;
        bool overlaps = false;

        seen.wrapping += __builtin_add_overflow(a.base, a.bytes, &end);
        if (a.bytes && !type_is_known(a.type)) {
            seen.unknown++;
            seen.unknown_type = a.type;
        }
        for (uint32_t j = 0; j < src->count && !overlaps; j++) {
            struct boot_mem_range b = entry_at(src, j);

            overlaps = i != j && a.base < entry_end(b.base, b.bytes, false) &&
                       b.base < entry_end(a.base, a.bytes, false);
        }
        seen.overlapping += overlaps;
    }
}

/* Room for the tables in the map itself, where it can be reached already. */
static uint64_t find_storage(const struct memory_source *src, uint64_t need)
{
    uint64_t base = 0, bytes = 0;

    while (memory_source_next(src, base + bytes, &base, &bytes) == 0)
        if (base + bytes > BOOTMEM_LOW_END && base + need <= ARCH_EARLY_END &&
            bytes - (MAX(base, BOOTMEM_LOW_END) - base) >= need)
            return MAX(base, BOOTMEM_LOW_END);
    return 0;
}

static void fill_table(const struct memory_source *src, uint64_t limit)
{
    uint64_t base = 0, bytes = 0, taken;

    while (limit && memory_source_next(src, base + bytes, &base, &bytes) == 0) {
        taken = MIN(bytes, limit);
        usable[nr_usable++] = (struct memory_range){base, taken};
        limit -= taken;
    }
}

static void read_map(const struct memory_source *src)
{
    uint32_t count = count_ranges(src), capacity = 2 * count + BOOTMEM_SPARE_RANGES;
    uint64_t need = ALIGN_UP((count + capacity) * sizeof(struct memory_range), ARCH_PAGE_BYTES);
    uint64_t storage = find_storage(src, need);
    uint64_t limit = ALIGN_DOWN((uint64_t)memory_limit_bytes, (uint64_t)ARCH_PAGE_BYTES);

    note_problems(src);
    if (!storage)
        panic("no usable memory: %u entries give %u ranges", src->count, count);
    usable = phys_to_virt(storage);
    fill_table(src, limit);
    bootmem_init(usable, nr_usable, usable + count, capacity);
    bootmem_exclude(storage, need);
    bootmem_keep_low_page();
}

void memory_map_init(const struct boot_handoff *handoff)
{
    struct memory_hole holes[4] = {
        {0, ARCH_PAGE_BYTES}, /* null must not be memory; the BIOS keeps its data there */
        {handoff->loader_phys, handoff->loader_bytes},
        {handoff->mem_map_phys, (uint64_t)handoff->mem_map_entries * handoff->mem_map_stride},
    };
    struct memory_source src = {
        .entries = phys_to_virt(handoff->mem_map_phys),
        .count = handoff->mem_map_entries,
        .stride = handoff->mem_map_stride,
        .holes = holes,
        .nr_holes = ARRAY_LEN(holes),
    };

    if (!src.count || !src.stride)
        panic("the boot path gave no memory map (%s)", handoff->path);
    if (src.stride < sizeof(struct boot_mem_range))
        panic("memory map entries are %u bytes apart, too close for %zu", src.stride,
              sizeof(struct boot_mem_range));
    arch_kernel_image(&holes[3].base, &holes[3].bytes);
    read_map(&src);
}

int memory_map_usable(uint32_t i, uint64_t *base, uint64_t *bytes)
{
    if (i >= nr_usable)
        return -CS_ENOENT;
    *base = usable[i].base;
    *bytes = usable[i].bytes;
    return 0;
}

bool memory_map_overlaps(uint64_t base, uint64_t bytes)
{
    if (base + bytes < base)
        return true;
    for (uint32_t i = 0; i < nr_usable; i++)
        if (base < usable[i].base + usable[i].bytes && usable[i].base < base + bytes)
            return true;
    return false;
}

uint64_t memory_map_usable_bytes(void)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < nr_usable; i++)
        bytes += usable[i].bytes;
    return bytes;
}

void memory_map_report(void)
{
    uint64_t phys, bytes;

    arch_kernel_image(&phys, &bytes);
    if (bytes)
        log_line("kernel image: %llu KiB at %#llx", (unsigned long long)(bytes >> 10),
                 (unsigned long long)phys);
    log_line("memory: %llu MiB usable in %u ranges, from %u entries",
             (unsigned long long)(memory_map_usable_bytes() >> 20), nr_usable, seen.entries);
    if (seen.wrapping || seen.overlapping || seen.unknown)
        log_warn("memory map: %u entries wrap, %u overlap, %u of unknown type (%#x the last)",
                 seen.wrapping, seen.overlapping, seen.unknown, seen.unknown_type);
}
