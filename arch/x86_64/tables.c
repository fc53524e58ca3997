/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments of a CPU: the flat ones of 64-bit mode and a TSS, which is there for its interrupt
 * stacks. NMI, double fault and machine check can come when the stack is not usable, so each has
 * one of its own, with an unmapped page below.
 *
 * Intel SDM vol. 3, 3.4.5 (descriptors) and 8.7 (TSS in 64-bit mode).
 */
#include <arch/mmu.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

/* With the accessed bit set already, so that the CPU never writes to the table. */
#define DESCRIPTOR_CODE64 0x00af9b000000ffffull
#define DESCRIPTOR_DATA 0x00cf93000000ffffull
#define DESCRIPTOR_TSS 0x0000890000000000ull

PERCPU_STATIC struct x86_cpu x86_cpu_percpu;

struct table_pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static void fill_gdt(struct x86_cpu *cpu)
{
    uint64_t tss = (uintptr_t)&cpu->tss;

    cpu->gdt[0] = 0;
    cpu->gdt[SELECTOR_CODE / 8] = DESCRIPTOR_CODE64;
    cpu->gdt[SELECTOR_DATA / 8] = DESCRIPTOR_DATA;
    cpu->gdt[SELECTOR_TSS / 8] = DESCRIPTOR_TSS | (sizeof(cpu->tss) - 1) |
                                 (tss & 0xffffff) << 16 | (tss >> 24 & 0xff) << 56;
    cpu->gdt[SELECTOR_TSS / 8 + 1] = tss >> 32;
}

void x86_tables_fill(struct x86_cpu *cpu, const uintptr_t stacks[IST_END])
{
    fill_gdt(cpu);
    cpu->tss.io_map_base = sizeof(cpu->tss); /* beyond the limit: no map */
    for (unsigned i = IST_NMI; i < IST_END; i++)
        cpu->tss.ist[i] = stacks[i];
}

int x86_ist_alloc(uintptr_t stacks[IST_END])
{
    for (unsigned i = IST_NMI; i < IST_END; i++) {
        stacks[i] = arch_stack_alloc(IST_STACK_BYTES);
        if (!stacks[i])
            return -X86_ENOMEM;
    }
    return 0;
}

void x86_tables_load(struct x86_cpu *cpu)
{
    struct table_pointer gdt = {sizeof(cpu->gdt) - 1, (uintptr_t)cpu->gdt};

    /* CS is reloaded by a far return; the null FS and GS selectors would clear the base of GS, so
     * they are left alone: their bases are MSRs. */
    __asm__ volatile("lgdt %0\n\t"
                     "pushq %1\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\tmovl %2, %%eax\n\t"
                     "movl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\t"
                     "movl %%eax, %%ss\n\t"
                     "ltr %w3"
                     :
                     : "m"(gdt), "i"(SELECTOR_CODE), "i"(SELECTOR_DATA), "r"(SELECTOR_TSS)
                     : "rax", "memory");
    x86_traps_load();
}
