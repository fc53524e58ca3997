/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address space of the simulated machine (<port/layout.h>), reserved at once; the host gives
 * pages as they are touched.
 *
 * arch_map() copies: a page of a per-CPU unit or of the array of struct page is memory of its own,
 * filled with what the physical page holds when it is mapped. What is written to it later is not
 * seen in the physical page, which nobody looks at. So no CPU count meets the host's limit of
 * mappings.
 */
#include <arch/hooks.h>
#include <arch/mmu.h>
#include <arch/percpu.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/process/process.h"
#include "arch/sim/sim.h"

static void reserve(const char *what, uintptr_t at, size_t bytes)
{
    void *got = mmap((void *)at, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (got != (void *)at)
        process_usage("the host does not give %zu MiB of address space at %#lx for %s: %s",
                      bytes >> 20, (unsigned long)at, what,
                      got == MAP_FAILED ? strerror(errno) : "something is there");
}

void sim_memory_init(void)
{
    uint64_t end = SIM_ARENA + sim_options.memory_bytes;

    reserve("memory", SIM_ARENA, sim_options.memory_bytes);
    reserve("page descriptors", SIM_VMEMMAP, process_vmemmap_bytes(end, ARCH_PAGE_SHIFT));
    reserve("stacks", SIM_STACKS, SIM_MAX_CPUS * SIM_STACK_STRIDE);
    reserve("per-CPU areas", SIM_PERCPU, sim_options.cpus * PERCPU_STRIDE_BYTES);
}

uintptr_t sim_stack_make(uint32_t index)
{
    uintptr_t top = SIM_STACKS + (index + 1) * SIM_STACK_STRIDE;
    void *guard = (void *)(top - SIM_STACK_BYTES - ARCH_PAGE_BYTES);

    return mprotect(guard, ARCH_PAGE_BYTES, PROT_NONE) == 0 ? top : 0;
}

int arch_map(uintptr_t va, uint64_t phys, size_t bytes, unsigned flags)
{
    if (flags & (ARCH_MAP_DEVICE | ARCH_MAP_COMBINE))
        return -ENODEV;
    if (sim_backend->explores)
        sim_backend->fence(__ATOMIC_SEQ_CST); /* what is stored late is there to be copied */
    memcpy((void *)va, (const void *)phys, bytes);
    return 0;
}

void arch_unmap_each(uintptr_t va, size_t bytes, size_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count && !sim_backend->explores; i++)
        if (madvise((void *)(va + i * stride), bytes, MADV_DONTNEED) != 0)
            hook_panic("the host does not take back memory: %s", strerror(errno));
}

/* A process's memory does not outlive a reset, but in a test that is about nothing else. */
void arch_write_back(const void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    if (sim_backend->explores)
        sim_backend->fence(__ATOMIC_SEQ_CST);
}
