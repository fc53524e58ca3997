/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's address space (port/layout.h), one for all CPUs.
 *
 * I1. No page is writable and executable; only the image's text is executable. SCTLR_EL1.WXN makes
 *     the processor refuse to execute what is writable, whatever a table says.
 * I2. Nothing is mapped in the low half: a null pointer, or a physical address taken for a virtual
 *     one, faults. A CPU that starts has tables of its own for it (the entry code one to one).
 * I3. Memory is mapped cacheable by everybody, with one attribute: firmware's tables too.
 */
#include <arch/mmu.h>
#include <port/pte.h>

#include "arch/arm64/arm64.h"
#include "arch/arm64/early.inc"
#include "arch/bare/space.h"

#define DIRECT_MAP_LEVEL 3u
#define FORGET_PAGES_MAX 16u
#define TEXT (PTE_ATTR(ATTR_NORMAL) | PTE_INNER | PTE_READ_ONLY)
#define READ (PTE_ATTR(ATTR_NORMAL) | PTE_INNER | PTE_READ_ONLY | PTE_PXN)
#define DATA (PTE_ATTR(ATTR_NORMAL) | PTE_INNER | PTE_PXN)

extern char text_start[], rodata_start[], data_start[];
extern char boot_stack_guard[], boot_stack_start[];
extern const char idmap_start[], idmap_end[];
extern uint64_t idmap_root[TABLE_ENTRIES];

void arch_kernel_image(uint64_t *phys, uint64_t *bytes)
{
    *phys = arm64_image_phys(image_start);
    *bytes = (uint64_t)(image_end - image_start);
}

static void map_image(const char *start, const char *end, uint64_t flags)
{
    space_must_map(kernel_root, (uintptr_t)start, arm64_image_phys(start), (uint64_t)(end - start),
                   flags, 1);
}

/* The pages of the entry code, one to one: what a CPU stands on when it switches translation on. */
static void map_entry_code(void)
{
    uint64_t first = arm64_image_phys(idmap_start) & ~(uint64_t)(ARCH_PAGE_BYTES - 1);
    uint64_t last = arm64_image_phys(idmap_end) + ARCH_PAGE_BYTES - 1;

    space_must_map(idmap_root, first, first, (last & ~(uint64_t)(ARCH_PAGE_BYTES - 1)) - first,
                   TEXT, 1);
}

void arch_mmu_init(int (*usable_range)(uint32_t i, uint64_t *base, uint64_t *bytes))
{
    uint64_t base, bytes;

    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        kernel_root[i] = idmap_root[i] = 0;
    map_image(text_start, rodata_start, TEXT);
    map_image(rodata_start, data_start, READ); /* .ro_after_init is complete by now */
    map_image(data_start, boot_stack_guard, DATA);
    map_image(boot_stack_start, image_end, DATA);
    for (uint32_t i = 0; usable_range(i, &base, &bytes) == 0; i++)
        space_must_map(kernel_root, DIRECT_MAP_BASE + base, base, bytes, DATA, DIRECT_MAP_LEVEL);
    map_entry_code();
    mmu_switch(arm64_image_phys(kernel_root));
    mmu_setup_cpu();
    early_console_move();
}

/* WXN may be held in the TLB. */
void mmu_setup_cpu(void)
{
    WRITE_SYSREG(sctlr_el1, READ_SYSREG(sctlr_el1) | SCTLR_WXN);
    __asm__ volatile("isb\n\ttlbi vmalle1\n\tdsb nsh\n\tisb" : : : "memory");
}

uint64_t space_leaf_flags(unsigned flags)
{
    return PTE_PXN | PTE_INNER | (flags & ARCH_MAP_RW ? 0 : PTE_READ_ONLY) |
           PTE_ATTR(flags & ARCH_MAP_DEVICE    ? ATTR_DEVICE
                    : flags & ARCH_MAP_COMBINE ? ATTR_COMBINE
                                               : ATTR_NORMAL);
}

/* All ASIDs, last level only, inner shareable (Arm ARM, C5.5, TLBI VAALE1IS). */
static void tlbi_page(uintptr_t va)
{
    uint64_t operand = va >> ARCH_PAGE_SHIFT & ((1ull << 44) - 1);

    __asm__ volatile("tlbi vaale1is, %0" : : "r"(operand) : "memory");
}

/* On every CPU. Many pages go with all others in one step: each step is a message to every CPU, and
 * in an emulator a pause of each. */
void space_forget(uintptr_t va, size_t bytes, size_t stride, uint32_t count)
{
    __asm__ volatile("dsb ishst" : : : "memory");
    if (count * (bytes / ARCH_PAGE_BYTES) > FORGET_PAGES_MAX)
        __asm__ volatile("tlbi vmalle1is" : : : "memory");
    else
        for (uint32_t i = 0; i < count; i++)
            for (size_t done = 0; done < bytes; done += ARCH_PAGE_BYTES)
                tlbi_page(va + i * stride + done);
    __asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

/* What TCR_EL1.IPS lets a table hold: more is an address size fault at the first access. It is the
 * processor's PARange, 48 bits at most (early_entry.S; Arm ARM, ID_AA64MMFR0_EL1). */
bool space_is_in_reach(uint64_t phys, uint64_t bytes)
{
    static const uint8_t bits[] = {32, 36, 40, 42, 44, 48};
    unsigned range = READ_SYSREG(id_aa64mmfr0_el1) & 0xf;
    uint64_t limit = 1ull << bits[range < sizeof(bits) ? range : sizeof(bits) - 1];

    return phys < limit && bytes <= limit - phys;
}

/* To the point of coherency, by lines of the smallest size in the hierarchy (Arm ARM, CTR_EL0). */
void arch_write_back(const void *at, size_t bytes)
{
    uintptr_t line_bytes = 4ull << (READ_SYSREG(ctr_el0) >> 16 & 0xf);
    uintptr_t line = (uintptr_t)at & ~(line_bytes - 1);

    for (; line < (uintptr_t)at + bytes; line += line_bytes)
        __asm__ volatile("dc cvac, %0" : : "r"(line) : "memory");
    __asm__ volatile("dsb sy" : : : "memory");
}
