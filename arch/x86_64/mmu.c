/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's address space (port/layout.h), one for all CPUs.
 *
 * I1. No page is writable and executable; only the image's text is executable.
 * I2. Nothing is mapped below DIRECT_MAP_BASE: a null pointer, or a physical address taken for a
 *     virtual one, faults. The trampoline has tables of its own (trampoline page one to one).
 * I3. No page is global and no address space is ever switched: writing CR3 forgets everything.
 */
#include <arch/mmu.h>
#include <port/pte.h>

#include "arch/bare/space.h"
#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

#define CLFLUSH_BYTES 64u /* every x86-64 processor's */

extern char image_start[], text_start[], rodata_start[], ro_after_init_start[], data_start[];
extern char boot_stack_guard[], boot_stack_start[], image_end[];

/* In the image, so that they lie below 4 GiB: a CPU that starts loads CR3 in 32-bit mode. */
uint64_t kernel_root[TABLE_ENTRIES] __attribute__((aligned(4096)));
static uint64_t trampoline_top[TABLE_ENTRIES] __attribute__((aligned(4096)));
static uint64_t trampoline_tables[3][TABLE_ENTRIES] __attribute__((aligned(4096)));

static uint64_t nx; /* PTE_NX where the processor has it */

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
    return image_phys(kernel_root);
}

static void map_image(const char *start, const char *end, uint64_t flags)
{
    space_must_map(kernel_root, (uintptr_t)start, image_phys(start), (uint64_t)(end - start), flags,
                   1);
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
        space_must_map(kernel_root, DIRECT_MAP_BASE + base, base, bytes, nx | PTE_WRITE, largest);
    write_cr3(x86_kernel_cr3());
}

uint64_t space_leaf_flags(unsigned flags)
{
    return nx | (flags & ARCH_MAP_RW ? PTE_WRITE : 0) |
           /* PAT entries: 3 is uncached, 1 is write combining (features.c) */
           (flags & ARCH_MAP_DEVICE ? PTE_PCD | PTE_PWT : 0) |
           (flags & ARCH_MAP_COMBINE ? PTE_PWT : 0);
}

void space_forget(uintptr_t va, size_t bytes, size_t stride, uint32_t count)
{
    (void)va, (void)bytes, (void)stride, (void)count;
    x86_flush_all_cpus();
}

/* What a page table may hold: more is a reserved bit, and a fault at the first access (Intel SDM
 * vol. 3, 4.4.2; vol. 2, CPUID 80000008h). */
bool space_is_in_reach(uint64_t phys, uint64_t bytes)
{
    unsigned bits = cpuid_leaf(0x80000008, 0).eax & 0xff;
    uint64_t limit = 1ull << (bits >= 32 && bits <= 52 ? bits : 36);

    return phys < limit && bytes <= limit - phys;
}

/* CLFLUSH is ordered with writes to the same line, MFENCE with all others (Intel SDM vol. 2). */
void arch_write_back(const void *at, size_t bytes)
{
    uintptr_t line = (uintptr_t)at & ~(uintptr_t)(CLFLUSH_BYTES - 1);

    for (; line < (uintptr_t)at + bytes; line += CLFLUSH_BYTES)
        __asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

uint64_t x86_trampoline_tables(uint64_t phys)
{
    uint64_t(*t)[TABLE_ENTRIES] = trampoline_tables;
    const uint64_t table = PTE_PRESENT | PTE_WRITE | PTE_ACCESSED;

    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        trampoline_top[i] = kernel_root[i];
    trampoline_top[0] = image_phys(t[0]) | table;
    t[0][0] = image_phys(t[1]) | table;
    t[1][0] = image_phys(t[2]) | table;
    t[2][phys / ARCH_PAGE_BYTES] = phys | pte_leaf(1);
    return image_phys(trampoline_top);
}
