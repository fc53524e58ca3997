/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's own registers: CPUID, model-specific registers, control registers. */
#ifndef X86_CPU_REGS_H
#define X86_CPU_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/cpuid.h"

#define MSR_APIC_BASE 0x1bu
#define MSR_SMI_COUNT 0x34u
#define MSR_PAT 0x277u
#define MSR_X2APIC 0x800u /* + register offset / 16 */
#define MSR_EFER 0xc0000080u
#define MSR_GS_BASE 0xc0000101u
#define MSR_AMD_DE_CFG 0xc0011029u

#define EFER_NXE (1ull << 11)

static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid r;

    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

/* A leaf's registers, all 0 where the processor does not have it: past the highest leaf it answers
 * with the data of that one (Intel SDM vol. 2, CPUID). */
static inline struct cpuid cpuid_leaf(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid highest = cpuid(leaf & 0xffff0000, 0);

    if (leaf > highest.eax || (highest.eax ^ leaf) >> 16)
        return (struct cpuid){0};
    return cpuid(leaf, subleaf);
}

static inline uint64_t rdmsr(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);

    __asm__ volatile("wrmsr" : : "c"(msr), "a"(low), "d"(high) : "memory");
}

static inline uint64_t read_cr0(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr0, %0" : "=r"(value));
    return value;
}

static inline uint64_t read_cr2(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

static inline uint64_t read_cr3(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr3, %0" : "=r"(value));
    return value;
}

static inline uint64_t read_cr4(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr4, %0" : "=r"(value));
    return value;
}

/* Also forgets all cached translations: no page is global here. */
static inline void write_cr3(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory");
}

/* probe.asm: instructions that may fault. Each returns false instead of faulting. Context: any CPU
 * whose trap table is loaded. */
bool rdmsr_safe(uint32_t msr, uint64_t *value);
bool wrmsr_safe(uint32_t msr, uint64_t value);

#endif
