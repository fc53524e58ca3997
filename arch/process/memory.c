/* SPDX-License-Identifier: Apache-2.0 */
/* What a process has not: an image in its machine's memory, tables of its own, devices. */
#include <arch/mmu.h>

void arch_kernel_image(uint64_t *phys, uint64_t *bytes)
{
    *phys = 0; /* not in the arena */
    *bytes = 0;
}

void arch_mmu_init(int (*usable_range)(uint32_t i, uint64_t *base, uint64_t *bytes))
{
    (void)usable_range;
}

volatile void *arch_map_device(uint64_t phys, size_t bytes)
{
    (void)phys;
    (void)bytes;
    return NULL;
}

void *arch_map_memory(uint64_t phys, size_t bytes)
{
    (void)phys;
    (void)bytes;
    return NULL;
}
