/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical memory: firmware's map of any size and order made into sorted, page-aligned,
 * disjoint usable ranges; overlaps go to the more restrictive type; the kernel image, the loader's
 * tables and page 0 are taken out. The storage for it is found in the map itself.
 */
#ifndef CORE_MEMORY_MAP_H
#define CORE_MEMORY_MAP_H

#include "boot/handoff.h"
#include "core/compiler.h"

/* Reads the handoff; panics with a clear line when there is no usable memory. Problems (entries
 * that wrap, overlap, unknown types) are counted and logged. */
void memory_map_init(const struct boot_handoff *handoff);

/* The i-th usable range, with what bootmem has taken of it; -CS_ENOENT past the end. */
int memory_map_usable(uint32_t i, uint64_t *base, uint64_t *bytes);
uint64_t memory_map_usable_bytes(void);
/* Whether a usable range has a byte of it, or it wraps. */
bool memory_map_overlaps(uint64_t base, uint64_t bytes);
void memory_map_report(void);

/* Memory before the page allocator is up: zeroed, page aligned, never given back. `below` is an
 * upper limit for the end, 0 for none: before arch_mmu_init() the end is below ARCH_EARLY_END anyway.
 * Returns 0 when there is none. */
uint64_t bootmem_alloc(uint64_t bytes, uint64_t align, uint64_t below) must_check;
/* The same inside [from, to), not zeroed. */
uint64_t bootmem_take(uint64_t bytes, uint64_t align, uint64_t from, uint64_t to) must_check;
/* The direct map reaches all usable memory now: called behind arch_mmu_init(). */
void bootmem_direct_map_ready(void);
/* The i-th range that is still free, for the page allocator; -CS_ENOENT past the end. After
 * bootmem_close() nothing more is handed out (page-table pages come from the page allocator). */
int bootmem_free_range(uint32_t i, uint64_t *base, uint64_t *bytes);
void bootmem_close(void);

/* --- the pure part, for tests: the map without a machine --- */

struct memory_hole { /* kept out, whatever the entries say */
    uint64_t base, bytes;
};
struct memory_source {
    const void *entries; /* struct boot_mem_range, `stride` bytes apart */
    uint32_t count, stride;
    const struct memory_hole *holes;
    uint32_t nr_holes;
};

/* The first usable range (whole pages, as long as it gets) that begins at or above `from`.
 * -CS_ENOENT when there is none. Cost: entries × boundaries passed. */
int memory_source_next(const struct memory_source *src, uint64_t from, uint64_t *base,
                       uint64_t *bytes);

#endif
