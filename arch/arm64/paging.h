/* SPDX-License-Identifier: Apache-2.0 */
/* Translation tables as such; Arm ARM DDI 0487, chapter D8. What lies where is mmu.c's. */
#ifndef ARM64_PAGING_H
#define ARM64_PAGING_H

#include <stddef.h>
#include <stdint.h>

#define PTE_VALID (1ull << 0)
#define PTE_TABLE (1ull << 1) /* a table above the last level, a page at the last */
#define PTE_ATTR(index) ((uint64_t)(index) << 2)
#define PTE_READ_ONLY (1ull << 7) /* AP[2] */
#define PTE_INNER (3ull << 8)     /* inner shareable */
#define PTE_AF (1ull << 10)
#define PTE_PXN (1ull << 53)
#define PTE_UXN (1ull << 54)
#define PTE_ADDRESS 0x0000fffffffff000ull

/* Indices into MAIR_VALUE (early.inc). */
enum paging_attr { ATTR_NORMAL, ATTR_DEVICE, ATTR_COMBINE, ATTR_DEVICE_STRICT };

#define TABLE_ENTRIES 512u

/* Levels counted as on x86: 1 maps 4 KiB, 2 maps 2 MiB, 3 maps 1 GiB, 4 is the top (the Arm
 * manual's levels 3, 2, 1, 0). */
#define PAGING_LEVELS 4u
#define PAGING_BLOCK_MAX 3u

static inline uint64_t paging_level_bytes(unsigned level)
{
    return 1ull << (12 + 9 * (level - 1));
}

static inline unsigned paging_index(uint64_t va, unsigned level)
{
    return (unsigned)(va >> (12 + 9 * (level - 1))) % TABLE_ENTRIES;
}

static inline uint64_t paging_leaf_type(unsigned level)
{
    return level == 1 ? PTE_VALID | PTE_TABLE : PTE_VALID;
}

/* Maps [va, va+bytes) below `top` with blocks of at most `max_level`, all of them with `flags`.
 * 0, -ENOMEM, -EEXIST: then nothing has been mapped. The caller holds the tables' lock. */
int paging_map(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
               unsigned max_level) __attribute__((warn_unused_result));

/* Clears the 4-KiB entries of [va, va+bytes); what is not mapped stays so. No TLB is touched. */
void paging_unmap(uint64_t *top, uintptr_t va, uint64_t bytes);

#endif
