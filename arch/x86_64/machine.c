/* SPDX-License-Identifier: Apache-2.0 */
/* What machine this is, by what the processor itself says (Intel SDM vol. 2, CPUID). */
#include <arch/machine.h>
#include <arch/time.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/cpuid_clock.h"
#include "arch/x86_64/x86.h"

#define HYPERVISOR_LEAF 0x40000000u
#define HYPERVISOR_TIMING_LEAF 0x40000010u
#define BRAND_LEAF 0x80000002u /* and the two after it: 16 characters each */
#define BRAND_BYTES 48u

const char *arch_goos(void)
{
    return "none";
}

const char *arch_goarch(void)
{
    return "amd64";
}

/* The registers of a leaf as the text that they hold. */
static void leaf_text(char *text, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t words[4] = {a, b, c, d};

    for (unsigned i = 0; i < 16; i++)
        text[i] = (char)(words[i / 4] >> (i % 4 * 8));
}

static bool starts_with(const char *text, const char *start)
{
    while (*start)
        if (*text++ != *start++)
            return false;
    return true;
}

/* Blanks around it, which some processors have, are dropped. */
static void copy_printable(char *to, size_t bytes, const char *from)
{
    size_t used = 0;

    while (*from == ' ')
        from++;
    while (*from && used + 1 < bytes) {
        to[used++] = *from >= ' ' && *from <= '~' ? *from : '?';
        from++;
    }
    while (used && to[used - 1] == ' ')
        used--;
    to[used] = 0;
}

void arch_cpu_model(char *text, size_t bytes)
{
    char brand[BRAND_BYTES + 1] = {0};
    struct cpuid r;

    for (uint32_t i = 0; i < 3; i++) {
        r = cpuid_leaf(BRAND_LEAF + i, 0);
        leaf_text(brand + 16 * i, r.eax, r.ebx, r.ecx, r.edx);
    }
    if (!brand[0]) {
        r = cpuid(0, 0);
        leaf_text(brand, r.ebx, r.edx, r.ecx, 0);
    }
    copy_printable(text, bytes, brand);
}

const char *arch_virt(void)
{
    static const struct {
        const char *signature, *name;
    } known[] = {
        {"TCGTCGTCGTCG", "tcg"},    {"KVMKVMKVM", "kvm"},    {"Microsoft Hv", "hyperv"},
        {"VMwareVMware", "vmware"}, {"XenVMMXenVMM", "xen"}, {"bhyve bhyve ", "bhyve"},
        {"ACRNACRNACRN", "acrn"},   {"VBoxVBoxVBox", "vbox"}, {" lrpepyh  vr", "parallels"},
        {"QNXQVMBSQG", "qnx"},      {"EVMMEVMMEVMM", "evmm"},
    };
    struct cpuid r;
    char signature[16];

    if (!x86_features.hypervisor)
        return "none";
    r = cpuid(HYPERVISOR_LEAF, 0);
    leaf_text(signature, r.ebx, r.ecx, r.edx, 0);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (starts_with(signature, known[i].signature))
            return known[i].name;
    return "unknown";
}

bool arch_is_emulated(void)
{
    return starts_with(arch_virt(), "tcg");
}

bool arch_virt_may_share(void)
{
    return x86_features.hypervisor;
}

uint32_t arch_host_processors(void)
{
    return 0;
}

static void append(char *text, size_t bytes, const char *more)
{
    size_t used = 0;

    while (text[used])
        used++;
    while (*more && used + 1 < bytes)
        text[used++] = *more++;
    text[used] = 0;
}

static void append_flag(char *text, size_t bytes, const char *name, bool on)
{
    if (text[0])
        append(text, bytes, " ");
    append(text, bytes, name);
    append(text, bytes, on ? "=1" : "=0");
}

void arch_describe(char *text, size_t bytes)
{
    bool x2apic_on = rdmsr(MSR_APIC_BASE) & 1u << 10;

    if (!bytes)
        return;
    text[0] = 0;
    append_flag(text, bytes, "nx", x86_features.nx);
    append_flag(text, bytes, "pages_1g", x86_features.pages_1g);
    append_flag(text, bytes, "x2apic", x86_features.x2apic);
    append_flag(text, bytes, "x2apic_at_boot", x2apic_on);
    append_flag(text, bytes, "invariant_tsc", x86_features.invariant_tsc);
}

/* MSR 34h: SMIs since reset, in EAX (Intel SDM vol. 4). Hypervisors answer with nothing useful. */
uint64_t arch_smi_count(void)
{
    uint64_t count;

    if (!x86_features.intel || x86_features.hypervisor || !rdmsr_safe(MSR_SMI_COUNT, &count))
        return UINT64_MAX;
    return (uint32_t)count;
}

uint64_t arch_stamp_hz_claim(const char **source)
{
    struct cpuid timing = {0};

    if (x86_features.hypervisor && cpuid(HYPERVISOR_LEAF, 0).eax >= HYPERVISOR_TIMING_LEAF)
        timing = cpuid(HYPERVISOR_TIMING_LEAF, 0);
    if (timing.eax) {
        *source = "cpuid-40000010h";
        return (uint64_t)timing.eax * 1000; /* kHz */
    }
    return cpuid_clock_claim(cpuid_leaf, source);
}

bool arch_stamp_is_exact(void)
{
    return false;
}

bool arch_stamp_is_invariant(void)
{
    return x86_features.invariant_tsc;
}
