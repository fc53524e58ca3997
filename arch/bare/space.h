/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's address space on bare metal: the parts that come after the first tables, alike on
 * both architectures. What the port's mmu.c gives to it, and gets.
 */
#ifndef BARE_SPACE_H
#define BARE_SPACE_H

#include <stdbool.h>

#include "arch/bare/paging.h"

/* The port's: the top table; an entry's flags for those of arch_map_flags (arch/mmu.h); every CPU
 * forgets `count` ranges of `bytes`, `stride` apart, whose entries have been cleared; whether a
 * table's entry can hold the whole range. */
extern uint64_t kernel_root[TABLE_ENTRIES];
uint64_t space_leaf_flags(unsigned map_flags);
void space_forget(uintptr_t va, size_t bytes, size_t stride, uint32_t count);
bool space_is_in_reach(uint64_t phys, uint64_t bytes);

/* For the port's arch_mmu_init(): maps, or panics. */
void space_must_map(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
                    unsigned max_level);

#endif
