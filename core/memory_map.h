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

/* The i-th usable range; -CS_ENOENT past the end. Shrinks as bootmem takes memory. */
int memory_map_usable(uint32_t i, uint64_t *base, uint64_t *bytes);
uint64_t memory_map_usable_bytes(void);
void memory_map_report(void);

/* Memory before the page allocator is up: zeroed, page aligned, never given back. `below` is an
 * upper limit for the address, 0 for none. Returns 0 when there is none. Reaches physical memory
 * through phys_to_virt() once arch_mmu_init() is done, before that one to one below 4 GiB. */
uint64_t bootmem_alloc(uint64_t bytes, uint64_t align, uint64_t below);

#endif
