/* SPDX-License-Identifier: Apache-2.0 */
/* Page tables as such; Intel SDM vol. 3, 4.5. What lies where is mmu.c's. */
#ifndef X86_PAGING_H
#define X86_PAGING_H

#include <stddef.h>
#include <stdint.h>

#define PTE_PRESENT (1ull << 0)
#define PTE_WRITE (1ull << 1)
#define PTE_PWT (1ull << 3)
#define PTE_PCD (1ull << 4)
#define PTE_ACCESSED (1ull << 5)
#define PTE_DIRTY (1ull << 6)
#define PTE_LARGE (1ull << 7)
#define PTE_NX (1ull << 63)
#define PTE_ADDRESS 0x000ffffffffff000ull

#define TABLE_ENTRIES 512u

/* Levels as the manual counts them: 1 maps 4 KiB, 2 maps 2 MiB, 3 maps 1 GiB, 4 is the top. */
#define PAGING_LEVELS 4u
static inline uint64_t paging_level_bytes(unsigned level)
{
    return 1ull << (12 + 9 * (level - 1));
}

/* What may be present below the top: accessed and dirty are set at once, so that the CPU writes
 * nothing into tables while something is measured. */
#define PTE_LEAF (PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY)

/* Maps [va, va+bytes) below `top` with pages of at most `max_level`, all of them with `flags`.
 * 0, -ENOMEM, -EEXIST: then nothing has been mapped. The caller holds the tables' lock. */
int paging_map(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
               unsigned max_level) __attribute__((warn_unused_result));

/* Clears the 4-KiB entries of [va, va+bytes); what is not mapped stays so. No TLB is touched. */
void paging_unmap(uint64_t *top, uintptr_t va, uint64_t bytes);

/* The entry that maps `va`, 0 when none does; *level says its size. */
uint64_t paging_lookup(uint64_t *top, uintptr_t va, unsigned *level);

#endif
