/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch/mmu.h on x86-64: the direct map. The early page tables map its first 4 GiB already, so that
 * phys_to_virt() holds from the first C function on.
 */
#ifndef PORT_MMU_H
#define PORT_MMU_H

#include <port/layout.h>

#define VMEMMAP_BASE 0xffffea0000000000
#define ARCH_EARLY_END (4ull << 30)

static inline void *phys_to_virt(uint64_t phys)
{
    return (void *)(DIRECT_MAP_BASE + phys);
}

static inline uint64_t virt_to_phys(const void *va)
{
    return (uintptr_t)va - DIRECT_MAP_BASE;
}

#endif
