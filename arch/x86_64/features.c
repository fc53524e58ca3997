/* SPDX-License-Identifier: Apache-2.0 */
/* What the processor can do, and the settings that every CPU gets. Intel SDM vol. 2, CPUID; AMD64
 * APM vol. 3, appendix E. */
#include <arch/hooks.h>
#include <arch/smp.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

/* PA0 WB, PA1 WC (instead of WT), PA2 UC-, PA3 UC, and the same again (Intel SDM vol. 3, 12.12). */
#define PAT_VALUE 0x0007010600070106ull
#define DE_CFG_LFENCE_SERIALIZE (1ull << 1)

struct x86_features x86_features;

/* The leaf that gives the whole id: the first one that has a level (EBX != 0). */
static uint32_t id_leaf(void)
{
    if (cpuid_leaf(0x1f, 0).ebx)
        return 0x1f;
    if (cpuid_leaf(0xb, 0).ebx)
        return 0xb;
    return 1;
}

void x86_features_read(void)
{
    struct cpuid vendor = cpuid(0, 0), basic = cpuid(1, 0);
    uint32_t extended = cpuid_leaf(0x80000001, 0).edx;

    x86_features = (struct x86_features){
        .id_leaf = id_leaf(),
        .nx = extended & 1u << 20,
        .pages_1g = extended & 1u << 26,
        .x2apic = basic.ecx & 1u << 21,
        .hypervisor = basic.ecx & 1u << 31,
        .invariant_tsc = cpuid_leaf(0x80000007, 0).edx & 1u << 8,
        .intel = vendor.ebx == 0x756e6547,                              /* "Genu" */
        .amd = vendor.ebx == 0x68747541 || vendor.ebx == 0x6f677948, /* "Auth", "Hygo" */
    };
}

void x86_cpu_setup(void)
{
    uint64_t config;

    wrmsr(MSR_PAT, PAT_VALUE);
    /* arch_stamp() needs an LFENCE that waits; a hypervisor may refuse to show or to set it. */
    if (x86_features.amd && rdmsr_safe(MSR_AMD_DE_CFG, &config) &&
        !(config & DE_CFG_LFENCE_SERIALIZE))
        (void)wrmsr_safe(MSR_AMD_DE_CFG, config | DE_CFG_LFENCE_SERIALIZE);
}

uint64_t arch_cpu_hw_id(void)
{
    struct cpuid r = cpuid(x86_features.id_leaf, 0);

    return x86_features.id_leaf == 1 ? r.ebx >> 24 : r.edx;
}
