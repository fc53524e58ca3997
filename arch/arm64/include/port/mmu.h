/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch/mmu.h on arm64: the direct map. The early page tables hold all memory that the boot path
 * found usable, at the direct map and one to one, so that phys_to_virt() holds from the first C
 * function of the kernel on.
 */
#ifndef PORT_MMU_H
#define PORT_MMU_H

#include <port/layout.h>

#define VMEMMAP_BASE 0xffffa00000000000
#define ARCH_EARLY_END (DIRECT_MAP_END - DIRECT_MAP_BASE)

static inline void *phys_to_virt(uint64_t phys)
{
    return (void *)(DIRECT_MAP_BASE + phys);
}

static inline uint64_t virt_to_phys(const void *va)
{
    return (uintptr_t)va - DIRECT_MAP_BASE;
}

#endif
