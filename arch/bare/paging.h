/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables as such: four levels of 512 entries, 4-KiB pages, as x86-64 (Intel SDM vol. 3, 4.5)
 * and arm64 (Arm ARM DDI 0487, D8) have them alike. The bits of an entry are the port's
 * (port/pte.h). What lies where is space.c's and the port's mmu.c's.
 */
#ifndef BARE_PAGING_H
#define BARE_PAGING_H

#include <stddef.h>
#include <stdint.h>

#define TABLE_ENTRIES 512u

/* 1 maps 4 KiB, 2 maps 2 MiB, 3 maps 1 GiB, 4 is the top (the Arm manual's levels 3, 2, 1, 0). */
#define PAGING_LEVELS 4u

#define PAGING_ENOMEM 12
#define PAGING_EEXIST 17

static inline uint64_t paging_level_bytes(unsigned level)
{
    return 1ull << (12 + 9 * (level - 1));
}

static inline unsigned paging_index(uint64_t va, unsigned level)
{
    return (unsigned)(va >> (12 + 9 * (level - 1))) % TABLE_ENTRIES;
}

/* Maps [va, va+bytes) below `top` with pages of at most `max_level`, all of them with `flags`.
 * 0, -PAGING_ENOMEM, -PAGING_EEXIST: then nothing has been mapped. The caller holds the tables'
 * lock. */
int paging_map(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
               unsigned max_level) __attribute__((warn_unused_result));

/* Clears the 4-KiB entries of [va, va+bytes); what is not mapped stays so. No TLB is touched. */
void paging_unmap(uint64_t *top, uintptr_t va, uint64_t bytes);

#endif
