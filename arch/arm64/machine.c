/* SPDX-License-Identifier: Apache-2.0 */
/* What machine this is, by the identification registers (Arm ARM DDI 0487, D17.2) and, for what
 * carries it, by what firmware calls it. */
#include <arch/machine.h>
#include <arch/time.h>

#include "arch/arm64/arm64.h"

#define MIDR_IMPLEMENTER(midr) ((unsigned)((midr) >> 24 & 0xff))
#define MIDR_VARIANT(midr) ((unsigned)((midr) >> 20 & 0xf))
#define MIDR_PART(midr) ((unsigned)((midr) >> 4 & 0xfff))
#define MIDR_REVISION(midr) ((unsigned)((midr)&0xf))
#define IMPLEMENTER_APPLE 0x61u

/* SMCCC, "Call UID" of the vendor-specific hypervisor service; the first word of KVM's answer
 * (Linux Documentation/virt/kvm/arm/hypercalls). */
#define HYPERVISOR_UID_CALL 0x8600ff01u
#define HYPERVISOR_UID_KVM 0xb66fb428u

#define PMCR_ENABLE (1u << 0)
#define PMCR_RESET_CYCLES (1u << 2)
#define PMCR_LONG (1u << 6)
#define PMCNTEN_CYCLES (1u << 31)
#define CYCLE_LOOKS 1000u

uint32_t arm64_entry_level;
bool arm64_counts_cycles;

struct known_part {
    uint8_t implementer;
    uint16_t part;
    const char *name;
};

static const struct known_part known_parts[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd04, "Cortex-A35"},  {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},  {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},  {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd40, "Neoverse-V1"}, {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd83, "Neoverse-V3"}, {0x41, 0xd8e, "Neoverse-N3"}, {0x42, 0x516, "ThunderX2"},
    {0x43, 0x0af, "ThunderX2"},   {0x46, 0x001, "A64FX"},       {0x48, 0xd01, "Kunpeng 920"},
    {0x50, 0x000, "X-Gene"},      {0xc0, 0xac3, "Ampere-1"},    {0xc0, 0xac4, "Ampere-1A"},
    {0x51, 0x001, "Oryon"},       {0x00, 0x051, "QEMU max"},
};

static const char *implementer_name(unsigned implementer)
{
    switch (implementer) {
    case 0x41:
        return "Arm ";
    case 0x46:
        return "Fujitsu ";
    case 0x48:
        return "HiSilicon ";
    case 0x51:
        return "Qualcomm ";
    case IMPLEMENTER_APPLE:
        return "Apple ";
    case 0xc0:
        return "Ampere ";
    default:
        return "";
    }
}

struct text {
    char *at;
    size_t bytes, used;
};

static void put(struct text *t, const char *more)
{
    while (*more && t->used + 1 < t->bytes)
        t->at[t->used++] = *more++;
    if (t->bytes)
        t->at[t->used] = 0;
}

static void put_number(struct text *t, uint64_t value, unsigned base)
{
    char digits[24];
    unsigned at = sizeof(digits);

    digits[--at] = 0;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    put(t, &digits[at]);
}

static void put_field(struct text *t, const char *name, uint64_t value)
{
    put(t, t->used ? " " : "");
    put(t, name);
    put_number(t, value, 10);
}

const char *arch_goos(void)
{
    return "none";
}

const char *arch_goarch(void)
{
    return "arm64";
}

void arch_cpu_model(char *text, size_t bytes)
{
    uint64_t midr = READ_SYSREG(midr_el1);
    struct text t = {text, bytes, 0};
    const char *name = NULL;

    for (size_t i = 0; i < sizeof(known_parts) / sizeof(known_parts[0]); i++)
        if (known_parts[i].implementer == MIDR_IMPLEMENTER(midr) &&
            known_parts[i].part == MIDR_PART(midr))
            name = known_parts[i].name;
    put(&t, implementer_name(MIDR_IMPLEMENTER(midr)));
    if (name) {
        put(&t, name);
    } else {
        put(&t, "implementer 0x");
        put_number(&t, MIDR_IMPLEMENTER(midr), 16);
        put(&t, " part 0x");
        put_number(&t, MIDR_PART(midr), 16);
    }
    put(&t, " r");
    put_number(&t, MIDR_VARIANT(midr), 10);
    put(&t, "p");
    put_number(&t, MIDR_REVISION(midr), 10);
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Made once, while the name of the machine, which is in firmware's memory, is mapped. */
static const char *virt_name = "unknown";

/* What QEMU's "virt" calls itself in a device tree, and in SMBIOS when it is not below KVM. */
static bool is_qemu(const char *machine)
{
    return machine &&
           (same(machine, "linux,dummy-virt") || same(machine, "QEMU QEMU Virtual Machine"));
}

/* An HVC where nobody takes it is undefined (and has a fixup), or comes to our own EL2 stub. QEMU's
 * "virt" machine is emulated unless KVM answers or the processor is one that QEMU has no model of.
 */
static const char *find_virt(void)
{
    if ((uint32_t)smccc_hvc(HYPERVISOR_UID_CALL, 0, 0, 0) == HYPERVISOR_UID_KVM)
        return "kvm";
    if (is_qemu(arm64_handoff->machine))
        return MIDR_IMPLEMENTER(READ_SYSREG(midr_el1)) == IMPLEMENTER_APPLE ? "hvf" : "tcg";
    return arm64_entry_level == 1 ? "unknown" : "none";
}

const char *arch_virt(void)
{
    return virt_name;
}

bool arch_is_emulated(void)
{
    return same(virt_name, "tcg");
}

bool arch_virt_may_share(void)
{
    return !same(virt_name, "none");
}

uint32_t arch_host_processors(void)
{
    return 0;
}

void arch_describe(char *text, size_t bytes)
{
    struct text t = {text, bytes, 0};

    if (bytes)
        text[0] = 0;
#ifdef __ARM_FEATURE_ATOMICS
    put(&t, "atomics=lse");
#else
    put(&t, "atomics=ll/sc");
#endif
    put_field(&t, "entry_el=", arm64_entry_level);
    put_field(&t, "counter_hz=", READ_SYSREG(cntfrq_el0));
    put_field(&t, "cycles=", arm64_counts_cycles);
}

/* Whether there is an architected PMU: 0 is none, 15 one that is not the architecture's. */
static bool has_pmu(void)
{
    uint64_t version = READ_SYSREG(id_aa64dfr0_el1) >> 8 & 0xf;

    return version != 0 && version != 0xf;
}

/* The cycle counter: 64 bits, at every exception level, from 0. */
static void start_cycle_counter(void)
{
    WRITE_SYSREG(pmccfiltr_el0, 0);
    WRITE_SYSREG(pmcr_el0, PMCR_LONG | PMCR_RESET_CYCLES | PMCR_ENABLE);
    WRITE_SYSREG(pmcntenset_el0, PMCNTEN_CYCLES);
    isb();
}

/* No event stream: it would end every WFE. The floating-point unit stays off: kernels have no use
 * for it, and a stray instruction is named; the boot CPU keeps it for the device tree's library. */
void arm64_setup_cpu(void)
{
    WRITE_SYSREG(cntkctl_el1, 0);
    WRITE_SYSREG(cntv_ctl_el0, 0);
    isb();
    if (has_pmu())
        start_cycle_counter();
}

/* A hypervisor may show a counter that stands still. */
static bool cycles_move(void)
{
    uint64_t first = READ_SYSREG(pmccntr_el0);

    for (unsigned i = 0; i < CYCLE_LOOKS; i++)
        if (READ_SYSREG(pmccntr_el0) != first)
            return true;
    return false;
}

void arch_early_init(void)
{
    arm64_setup_cpu();
    arm64_counts_cycles = has_pmu() && cycles_move();
    early_console_init();
    virt_name = find_virt();
}

void arch_power_off(int exit_status)
{
}

void arch_halt(void)
{
    __asm__ volatile("msr daifset, #0xf" : : : "memory");
    for (;;)
        __asm__ volatile("wfi" : : : "memory");
}

uint64_t arch_smi_count(void)
{
    return UINT64_MAX;
}
