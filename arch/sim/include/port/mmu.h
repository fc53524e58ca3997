/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the simulated machine: <port/layout.h>, arch/sim/memory.c. */
#ifndef PORT_MMU_H
#define PORT_MMU_H

#include <port/layout.h>

#define VMEMMAP_BASE SIM_VMEMMAP
#define ARCH_EARLY_END UINT64_MAX

static inline void *phys_to_virt(uint64_t phys)
{
    return (void *)(uintptr_t)phys;
}

static inline uint64_t virt_to_phys(const void *va)
{
    return (uintptr_t)va;
}

#endif
