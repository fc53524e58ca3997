/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping and unmapping in the kernel's one address space; windows onto devices and firmware's
 * memory; stacks. See arch/mmu.h and arch/bare/space.h.
 *
 * I1. The page below each stack is not mapped.
 *
 * Lock order: tables_lock, then whatever hook_table_page() takes.
 */
#include "arch/bare/space.h"

#include <arch/hooks.h>
#include <arch/irq.h>
#include <arch/mmu.h>
#include <arch/wait.h>

#define LOCK_SPINS_MAX 2000000000u

static _Atomic uint32_t tables_lock;
static uintptr_t next_stack = STACKS_BASE, next_window = WINDOWS_BASE;

/* Held for a few hundred instructions; see the lock order above. */
static unsigned long lock_tables(void)
{
    unsigned long irqs = irq_save();
    uint32_t spins = 0;

    while (atomic_exchange_explicit(&tables_lock, 1, memory_order_acquire)) {
        if (spins++ > LOCK_SPINS_MAX)
            hook_panic("the page tables' lock is never released");
        cpu_relax();
    }
    return irqs;
}

static void unlock_tables(unsigned long irqs)
{
    atomic_store_explicit(&tables_lock, 0, memory_order_release);
    irq_restore(irqs);
}

void space_must_map(uint64_t *top, uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
                    unsigned max_level)
{
    int error = paging_map(top, va, phys, bytes, flags, max_level);

    if (error)
        hook_panic("mapping %#llx bytes at %#llx failed: %d", (unsigned long long)bytes,
                   (unsigned long long)va, error);
}

int arch_map(uintptr_t va, uint64_t phys, size_t bytes, unsigned flags)
{
    unsigned long irqs = lock_tables();
    int error = paging_map(kernel_root, va, phys, bytes, space_leaf_flags(flags), 1);

    unlock_tables(irqs);
    return error;
}

/* Forgetting comes behind the lock: it may wait for other CPUs. Until then nobody maps anything
 * else there, since the caller still has it. */
void arch_unmap_each(uintptr_t va, size_t bytes, size_t stride, uint32_t count)
{
    unsigned long irqs = lock_tables();

    for (uint32_t i = 0; i < count; i++)
        paging_unmap(kernel_root, va + i * stride, bytes);
    unlock_tables(irqs);
    space_forget(va, bytes, stride, count);
}

static uintptr_t map_window(uint64_t phys, size_t bytes, unsigned flags)
{
    uint64_t offset = phys % ARCH_PAGE_BYTES;
    uint64_t span = (offset + bytes + ARCH_PAGE_BYTES - 1) & ~(uint64_t)(ARCH_PAGE_BYTES - 1);
    unsigned long irqs = lock_tables();
    uintptr_t va = next_window;
    int error = -PAGING_ENOMEM;

    if (span >= bytes && span <= WINDOWS_END - va && space_is_in_reach(phys, bytes))
        error = paging_map(kernel_root, va, phys - offset, span, space_leaf_flags(flags), 1);
    if (!error)
        next_window = va + span;
    unlock_tables(irqs);
    return error ? 0 : va + offset;
}

volatile void *arch_map_device(uint64_t phys, size_t bytes)
{
    return (volatile void *)map_window(phys, bytes, ARCH_MAP_RW | ARCH_MAP_DEVICE);
}

void *arch_map_memory(uint64_t phys, size_t bytes)
{
    return (void *)map_window(phys, bytes, ARCH_MAP_RW);
}

void *arch_map_pixels(uint64_t phys, size_t bytes)
{
    return (void *)map_window(phys, bytes, ARCH_MAP_RW | ARCH_MAP_COMBINE);
}

/* The pages of a stack need not be neighbours. */
static int map_stack(uintptr_t va, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += ARCH_PAGE_BYTES) {
        uint64_t page = hook_table_page();

        if (!page || paging_map(kernel_root, va + done, page, ARCH_PAGE_BYTES,
                                space_leaf_flags(ARCH_MAP_RW), 1))
            return -PAGING_ENOMEM;
    }
    return 0;
}

uintptr_t arch_stack_alloc(size_t bytes)
{
    size_t span = (bytes + ARCH_PAGE_BYTES - 1) & ~(size_t)(ARCH_PAGE_BYTES - 1);
    unsigned long irqs = lock_tables();
    uintptr_t va = next_stack + ARCH_PAGE_BYTES; /* the guard page stays unmapped */
    int error = -PAGING_ENOMEM;

    if (span <= STACKS_END - va)
        error = map_stack(va, span);
    next_stack = va + span; /* after a failure too: what has been mapped there stays */
    unlock_tables(irqs);
    return error ? 0 : va + span;
}
