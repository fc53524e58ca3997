/* SPDX-License-Identifier: Apache-2.0 */
/* A physical address of a process's machine is the address in the process: the direct map costs
 * nothing, and what the boot path hands over needs no mapping. */
#ifndef PORT_FLAT_MEMORY_H
#define PORT_FLAT_MEMORY_H

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
