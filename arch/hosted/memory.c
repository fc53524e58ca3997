/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address space of the process.
 *
 *   HOSTED_ARENA_BASE   the arena = physical memory, a memfd mapped at a fixed address below the
 *                       sanitizers' shadows; physical and virtual addresses are the same number
 *   hosted_vmemmap      room for struct page of every frame below the end of the arena, reserved
 *   hosted_percpu_region  one stride for each CPU, reserved
 *
 * arch_map() maps pages of the same memfd a second time, so that a page is one page at both
 * addresses, as with a kernel's page tables. The host would let a mapping replace another one:
 * -EEXIST is not found here.
 *
 * Costs: 4 KiB pages unless the host gives huge pages to shared memory; one system call a mapping;
 * the host's limit of mappings (vm.max_map_count, 65,530) allows about 3000 CPUs.
 */
#include <arch/hooks.h>
#include <arch/mmu.h>
#include <arch/percpu.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/hosted/hosted.h"
#include "arch/process/process.h"

uintptr_t hosted_vmemmap;
uintptr_t hosted_percpu_region;
static int arena_fd = -1;

static uintptr_t reserve(const char *what, size_t bytes)
{
    void *va = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (va == MAP_FAILED)
        process_usage("the host does not give %zu MiB of address space for %s: %s", bytes >> 20,
                      what, strerror(errno));
    return (uintptr_t)va;
}

static void arena_init(uint64_t bytes)
{
    void *want = (void *)HOSTED_ARENA_BASE, *got;

    arena_fd = memfd_create("corestorm-memory", MFD_CLOEXEC);
    if (arena_fd < 0 || ftruncate(arena_fd, (off_t)bytes) != 0)
        process_usage("the host does not give %llu MiB of shared memory: %s",
                      (unsigned long long)bytes >> 20, strerror(errno));
    got = mmap(want, bytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, arena_fd, 0);
    if (got != want)
        process_usage("mem=%lluM does not fit at %p, something of the host is there "
                      "(ASan builds take 767M at most)",
                      (unsigned long long)bytes >> 20, want);
    madvise(want, bytes, MADV_HUGEPAGE); /* a wish */
}

void hosted_memory_init(void)
{
    uint64_t end = HOSTED_ARENA_BASE + hosted_config.memory_bytes;

    arena_init(hosted_config.memory_bytes);
    hosted_vmemmap = reserve("page descriptors", process_vmemmap_bytes(end, ARCH_PAGE_SHIFT));
    hosted_percpu_region = reserve("per-CPU areas", hosted_config.cpus * PERCPU_STRIDE_BYTES);
}

int arch_map(uintptr_t va, uint64_t phys, size_t bytes, unsigned flags)
{
    int protection = flags & ARCH_MAP_RW ? PROT_READ | PROT_WRITE : PROT_READ;

    if (flags & (ARCH_MAP_DEVICE | ARCH_MAP_COMBINE))
        return -ENODEV;
    if (mmap((void *)va, bytes, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, arena_fd,
             (off_t)(phys - HOSTED_ARENA_BASE)) == MAP_FAILED)
        return -ENOMEM;
    return 0;
}

static void unmap_piece(uintptr_t va, size_t bytes)
{
    if (mmap((void *)va, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
             -1, 0) == MAP_FAILED)
        hook_panic("the host does not take back a mapping: %s", strerror(errno));
}

void arch_unmap_each(uintptr_t va, size_t bytes, size_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        unmap_piece(va + i * stride, bytes);
}

uintptr_t arch_stack_alloc(size_t bytes)
{
    size_t whole = HOSTED_STACK_BYTES + ARCH_PAGE_BYTES;
    char *va;

    if (bytes > HOSTED_STACK_BYTES)
        return 0;
    va = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
              0);
    if (va == MAP_FAILED)
        return 0;
    if (mprotect(va, ARCH_PAGE_BYTES, PROT_NONE) != 0) {
        munmap(va, whole);
        return 0;
    }
    return (uintptr_t)va + whole;
}

/* A process's memory does not outlive a reset. */
void arch_write_back(const void *at, size_t bytes)
{
}
