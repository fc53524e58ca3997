/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's address space (port/layout.h), one for all CPUs.
 *
 * I1. No page is writable and executable; only the image's text is executable.
 * I2. Nothing is mapped below DIRECT_MAP_BASE: a null pointer, or a physical address taken for a
 *     virtual one, faults. The trampoline has tables of its own (trampoline page one to one).
 * I3. The page below each stack is not mapped.
 * I4. No page is global and no address space is ever switched: writing CR3 forgets everything.
 *
 * Lock order: tables_lock, then whatever hook_table_page() takes.
 */
#include <arch/hooks.h>
#include <arch/irq.h>
#include <arch/mmu.h>
#include <arch/wait.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/x86.h"

#define CLFLUSH_BYTES 64u /* every x86-64 processor's */
#define LOCK_SPINS_MAX 2000000000u

typedef uint64_t page_table[TABLE_ENTRIES] __attribute__((aligned(4096)));

extern char image_start[], text_start[], rodata_start[], ro_after_init_start[], data_start[];
extern char boot_stack_guard[], boot_stack_start[], image_end[];

/* In the image, so that they lie below 4 GiB: a CPU that starts loads CR3 in 32-bit mode. */
static page_table kernel_top, trampoline_top, trampoline_tables[3];

static _Atomic uint32_t tables_lock;
static uintptr_t next_stack = STACKS_BASE, next_window = WINDOWS_BASE;
static uint64_t nx; /* PTE_NX where the processor has it */

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

/* Written by early_entry.asm alone. */
uint64_t x86_image_shift __attribute__((section(".ro_after_init")));

static uint64_t image_phys(const void *in_image)
{
    return (uintptr_t)in_image - KERNEL_VIRT_OFFSET + x86_image_shift;
}

void arch_kernel_image(uint64_t *phys, uint64_t *bytes)
{
    *phys = image_phys(image_start);
    *bytes = (uint64_t)(image_end - image_start);
}

uint64_t x86_kernel_cr3(void)
{
    return image_phys(kernel_top);
}

static void must_map(uintptr_t va, uint64_t phys, uint64_t bytes, uint64_t flags,
                     unsigned max_level)
{
    int error = paging_map(kernel_top, va, phys, bytes, flags, max_level);

    if (error)
        hook_panic("mapping %#llx bytes at %#llx failed: %d", (unsigned long long)bytes,
                   (unsigned long long)va, error);
}

static void map_image(const char *start, const char *end, uint64_t flags)
{
    must_map((uintptr_t)start, image_phys(start), (uint64_t)(end - start), flags, 1);
}

void arch_mmu_init(int (*usable_range)(uint32_t i, uint64_t *base, uint64_t *bytes))
{
    unsigned largest = x86_features.pages_1g ? 3 : 2;
    uint64_t base, bytes;

    nx = x86_features.nx ? PTE_NX : 0;
    map_image(text_start, rodata_start, 0);
    map_image(rodata_start, data_start, nx); /* .ro_after_init is complete by now */
    map_image(data_start, boot_stack_guard, nx | PTE_WRITE);
    map_image(boot_stack_start, image_end, nx | PTE_WRITE);
    for (uint32_t i = 0; usable_range(i, &base, &bytes) == 0; i++)
        must_map(DIRECT_MAP_BASE + base, base, bytes, nx | PTE_WRITE, largest);
    write_cr3(x86_kernel_cr3());
}

static uint64_t leaf_flags(unsigned flags)
{
    return nx | (flags & ARCH_MAP_RW ? PTE_WRITE : 0) |
           /* PAT entries: 3 is uncached, 1 is write combining (features.c) */
           (flags & ARCH_MAP_DEVICE ? PTE_PCD | PTE_PWT : 0) |
           (flags & ARCH_MAP_COMBINE ? PTE_PWT : 0);
}

int arch_map(uintptr_t va, uint64_t phys, size_t bytes, unsigned flags)
{
    unsigned long irqs = lock_tables();
    int error = paging_map(kernel_top, va, phys, bytes, leaf_flags(flags), 1);

    unlock_tables(irqs);
    return error;
}

void arch_unmap_each(uintptr_t va, size_t bytes, size_t stride, uint32_t count)
{
    unsigned long irqs = lock_tables();

    for (uint32_t i = 0; i < count; i++)
        paging_unmap(kernel_top, va + i * stride, bytes);
    unlock_tables(irqs);
    x86_flush_all_cpus();
}

/* What a page table may hold: more is a reserved bit, and a fault at the first access (Intel SDM
 * vol. 3, 4.4.2; vol. 2, CPUID 80000008h). */
static bool is_in_reach(uint64_t phys, uint64_t bytes)
{
    unsigned bits = cpuid_leaf(0x80000008, 0).eax & 0xff;
    uint64_t limit = 1ull << (bits >= 32 && bits <= 52 ? bits : 36);

    return phys < limit && bytes <= limit - phys;
}

static uintptr_t map_window(uint64_t phys, size_t bytes, unsigned flags)
{
    uint64_t offset = phys % ARCH_PAGE_BYTES;
    uint64_t span = (offset + bytes + ARCH_PAGE_BYTES - 1) & ~(uint64_t)(ARCH_PAGE_BYTES - 1);
    unsigned long irqs = lock_tables();
    uintptr_t va = next_window;
    int error = -X86_ENOMEM;

    if (span >= bytes && span <= WINDOWS_END - va && is_in_reach(phys, bytes))
        error = paging_map(kernel_top, va, phys - offset, span, leaf_flags(flags), 1);
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

/* CLFLUSH is ordered with writes to the same line, MFENCE with all others (Intel SDM vol. 2). */
void arch_write_back(const void *at, size_t bytes)
{
    uintptr_t line = (uintptr_t)at & ~(uintptr_t)(CLFLUSH_BYTES - 1);

    for (; line < (uintptr_t)at + bytes; line += CLFLUSH_BYTES)
        __asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

/* The pages of a stack need not be neighbours. */
static int map_stack(uintptr_t va, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += ARCH_PAGE_BYTES) {
        uint64_t page = hook_table_page();

        if (!page || paging_map(kernel_top, va + done, page, ARCH_PAGE_BYTES, nx | PTE_WRITE, 1))
            return -X86_ENOMEM;
    }
    return 0;
}

uintptr_t arch_stack_alloc(size_t bytes)
{
    size_t span = (bytes + ARCH_PAGE_BYTES - 1) & ~(size_t)(ARCH_PAGE_BYTES - 1);
    unsigned long irqs = lock_tables();
    uintptr_t va = next_stack + ARCH_PAGE_BYTES; /* the guard page stays unmapped */
    int error = -X86_ENOMEM;

    if (span <= STACKS_END - va)
        error = map_stack(va, span);
    next_stack = va + span; /* after a failure too: what has been mapped there stays */
    unlock_tables(irqs);
    return error ? 0 : va + span;
}

uint64_t x86_trampoline_tables(uint64_t phys)
{
    page_table *t = trampoline_tables;
    const uint64_t table = PTE_PRESENT | PTE_WRITE | PTE_ACCESSED;

    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        trampoline_top[i] = kernel_top[i];
    trampoline_top[0] = image_phys(t[0]) | table;
    t[0][0] = image_phys(t[1]) | table;
    t[1][0] = image_phys(t[2]) | table;
    t[2][phys / ARCH_PAGE_BYTES] = phys | PTE_LEAF;
    return image_phys(trampoline_top);
}
