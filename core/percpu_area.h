/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU area allocator: one offset, valid on every CPU (DESIGN §4).
 *
 *          CPU 0           CPU 1           CPU 2        …
 *        +-------+       +-------+       +-------+
 *        | head  |       | head  |       | head  |       chunk 0: static variables, then areas
 *        |static |       |static |       |static |
 *        | areas |       | areas |       | areas |
 *        +-------+       +-------+       +-------+
 *        | areas |       | areas |       | areas |       chunk 1 …: same offsets on every CPU,
 *        +-------+       +-------+       +-------+       populated a page at a time
 *
 * Granularity 4 bytes. Alignment: a power of two up to a page. Sizes up to PERCPU_AREA_MAX_BYTES.
 * Areas come zeroed on every CPU.
 *
 * Grouped allocation, both kinds all or nothing:
 *   percpu_area_alloc_group  ONE area sliced for n objects; freed as one area
 *   percpu_area_alloc_many   n areas under ONE hold of the lock; freed one by one or _free_many
 *
 * Context: any CPU. Failure: 0 (or -CS_ENOMEM), nothing taken. Freeing 0 does nothing. Misuse
 * (impossible size or alignment; double free, foreign and misaligned areas; overruns, in debug
 * builds) is refused and reported through core/memory_bug.h; bad frees are counted.
 *
 * The allocator needs of its surroundings only the arch contract, a lock, and the four
 * percpu_hook_* functions below, so that it can be lifted out into another kernel.
 */
#ifndef CORE_PERCPU_AREA_H
#define CORE_PERCPU_AREA_H

#include <arch/percpu.h>

#include "core/compiler.h"

#define PERCPU_MIN_ALIGN 4u
#define PERCPU_UNIT_BYTES (64u * 1024u) /* of one chunk on one CPU */
/* Pattern behind every area on every CPU, checked at free. */
#define PERCPU_REDZONE_BYTES (CORESTORM_DEBUG ? 4u : 0u)
#define PERCPU_AREA_MAX_BYTES (PERCPU_UNIT_BYTES - PERCPU_REDZONE_BYTES)

percpu_area_t percpu_area_alloc(size_t bytes, size_t align) must_check;
void percpu_area_free(percpu_area_t area);

/* One area for `count` objects of `bytes` each: slice i is at area + i * percpu_slice_bytes(). */
percpu_area_t percpu_area_alloc_group(size_t bytes, size_t align, unsigned count) must_check;
static inline size_t percpu_slice_bytes(size_t bytes, size_t align)
{
    return ALIGN_UP(bytes, align < PERCPU_MIN_ALIGN ? (size_t)1 : align);
}

/* `count` separate areas; 0, or -CS_ENOMEM with nothing taken and areas[] all 0. */
int percpu_area_alloc_many(percpu_area_t *areas, unsigned count, size_t bytes,
                           size_t align) must_check;
void percpu_area_free_many(percpu_area_t *areas, unsigned count);

/* Before any call: the units' first chunk, with the static variables, is mapped by boot
 * (core/percpu_boot.c); its remaining bytes become chunk 0. */
void percpu_area_init(uint32_t cpus, size_t first_used_bytes);

struct percpu_stats {
    uint64_t areas_live, bytes_live;  /* as allocated, granules rounded up; for each CPU */
    uint64_t bytes_requested;         /* as asked for, live */
    uint64_t bytes_wasted;            /* rounding (and red zones), live */
    uint64_t chunks, pages_populated; /* pages: of one unit, times CPUs for the memory */
    uint64_t bytes_metadata;
    uint64_t lock_holds, allocs, frees, failures, bad_frees;
    uint64_t search_steps; /* chunks, blocks and bitmap words looked at by allocs */
};
void percpu_area_stats(struct percpu_stats *out);
void percpu_area_report(void);

/* Walks all chunks and compares bitmaps, hints and statistics with each other; returns the number
 * of contradictions, each logged. Slow; for tests. */
unsigned percpu_area_check(void);

/* Gives back whole free chunks and free pages now; returns pages of one unit given back. */
uint64_t percpu_area_trim(void);

/* --- what the surroundings give --- */

/* Memory for the pages [offset, offset+bytes) of every CPU's unit, on the CPU's own node; zeroed.
 * 0 or -CS_ENOMEM with nothing mapped. */
int percpu_hook_populate(percpu_area_t offset, size_t bytes) must_check;
void percpu_hook_depopulate(percpu_area_t offset, size_t bytes);
void *percpu_hook_alloc(size_t bytes) must_check; /* zeroed metadata */
void percpu_hook_free(void *object, size_t bytes);

#endif
