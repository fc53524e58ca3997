/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generic interrupt controller, versions 2 and 3 (Arm IHI 0048, IHI 0069): as far as needed.
 *
 * Nothing here is ever interrupted by an IRQ: PSTATE.I is always set. What the controller is for:
 *
 *   SGI 0    a kick, and the virtual timer's PPI: pending, they end the WFI of a CPU that is parked
 *            or asleep (smp.c, sleep.c). WFE with SEV would do on a real machine, but an emulator
 * or a hypervisor does not halt in WFE, and then each parked CPU costs the others time. SGI 1    in
 * group 0 it arrives as FIQ, which is not masked: probes and stops a CPU that has lost itself. Only
 * where this CPU may configure group 0: no secure firmware.
 *
 * I1. A CPU configures its own interface and, in version 3, its own redistributor.
 * I2. What is pending is taken (acknowledged and ended) by the CPU itself, so that it is pending
 *     once more after the next kick.
 * I3. What was written before a kick is seen after it was taken: a DSB stands between the write and
 *     the sending, another one between the acknowledgement and whatever is read next.
 */
#include <arch/hooks.h>
#include <arch/mmu.h>
#include <arch/platform.h>
#include <arch/smp.h>
#include <arch/wait.h>

#include "arch/arm64/arm64.h"

#define SGI_KICK 0u
#define SGI_FIQ 1u
#define PPI_VIRTUAL_TIMER 27u /* Arm BSA, B_PPI_03 */
#define INTERRUPTS_SPECIAL 1020u
#define PRIORITY_IRQ 0xa0u
#define PRIORITY_FIQ 0x20u
#define WAIT_SPINS_MAX 1000000u

#define GICD_CTLR 0x0000u
#define GICD_IGROUPR 0x0080u
#define GICD_ISENABLER 0x0100u
#define GICD_IPRIORITYR 0x0400u
#define GICD_ITARGETSR 0x0800u
#define GICD_SGIR 0x0f00u
#define GICD_BYTES 0x10000u
#define GICD_CTLR_ENABLE_GROUPS 0x3u
#define GICD_CTLR_ARE 0x10u
#define GICD_CTLR_DS 0x40u
#define GICD_CTLR_BUSY (1u << 31)

#define GICC_CTLR 0x00u
#define GICC_PMR 0x04u
#define GICC_IAR 0x0cu
#define GICC_EOIR 0x10u
#define GICC_BYTES 0x2000u
#define GICC_CTLR_BOTH_GROUPS 0x0fu /* EnableGrp0, EnableGrp1, AckCtl, FIQEn */

#define GICR_TYPER 0x0008u
#define GICR_WAKER 0x0014u
#define GICR_SGI_FRAME 0x10000u
#define GICR_BYTES 0x20000u
#define GICR_BYTES_VLPI 0x40000u
#define GICR_TYPER_VLPI (1ull << 1)
#define GICR_TYPER_LAST (1ull << 4)
#define GICR_WAKER_SLEEP 0x2u
#define GICR_WAKER_ASLEEP 0x4u

/* System registers that -march=armv8-a has no names for. */
#define ICC_PMR_EL1 S3_0_C4_C6_0
#define ICC_IAR0_EL1 S3_0_C12_C8_0
#define ICC_EOIR0_EL1 S3_0_C12_C8_1
#define ICC_SGI1R_EL1 S3_0_C12_C11_5
#define ICC_SGI0R_EL1 S3_0_C12_C11_7
#define ICC_IAR1_EL1 S3_0_C12_C12_0
#define ICC_EOIR1_EL1 S3_0_C12_C12_1
#define ICC_CTLR_EL1 S3_0_C12_C12_4
#define ICC_SRE_EL1 S3_0_C12_C12_5
#define ICC_IGRPEN0_EL1 S3_0_C12_C12_6
#define ICC_IGRPEN1_EL1 S3_0_C12_C12_7
#define SYSREG_READ_(name) READ_SYSREG(name)
#define SYSREG_WRITE_(name, value) WRITE_SYSREG(name, value)

static struct arch_gic gic;
static uintptr_t distributor, cpu_interface;
static bool works, group0_is_ours;

static uint32_t read32(uintptr_t at)
{
    return *(volatile uint32_t *)at;
}

static void write32(uintptr_t at, uint32_t value)
{
    *(volatile uint32_t *)at = value;
}

void arch_set_interrupt_controller(const struct arch_gic *from)
{
    gic = *from;
}

bool gic_works(void)
{
    return works;
}

static void wait_while(uintptr_t at, uint32_t bits)
{
    for (unsigned spins = 0; read32(at) & bits && spins < WAIT_SPINS_MAX; spins++)
        cpu_relax();
}

/* --- redistributors of version 3 --- */

/* GICR_TYPER's affinity, as the fields of MPIDR_EL1 lie. */
static uint64_t typer_hw_id(uint64_t typer)
{
    return (typer >> 32 & 0xffffff) | (typer >> 56) << 32;
}

/* The CPU with this id; most tables have the frames in the order of the CPUs. */
static struct arm64_cpu *find_cpu(uint64_t hw_id)
{
    static uint32_t next;

    for (uint32_t i = 0; i < arm64_nr_cpus; i++) {
        uint32_t cpu = next;

        next = next + 1 < arm64_nr_cpus ? next + 1 : 0;
        if (arm64_cpu(cpu)->hw_id == hw_id)
            return arm64_cpu(cpu);
    }
    return NULL;
}

static void list_area(uint64_t phys, uint64_t bytes)
{
    uintptr_t frames = (uintptr_t)arch_map_device(phys, bytes);
    uint64_t typer = 0;

    if (!frames)
        return;
    for (uint64_t at = 0; at + GICR_BYTES <= bytes && !(typer & GICR_TYPER_LAST);) {
        struct arm64_cpu *cpu;

        typer = *(volatile uint64_t *)(frames + at + GICR_TYPER);
        cpu = find_cpu(typer_hw_id(typer));
        if (cpu)
            cpu->redistributor = frames + at;
        at += typer & GICR_TYPER_VLPI ? GICR_BYTES_VLPI : GICR_BYTES;
    }
}

/* --- set-up --- */

static void init_distributor(void)
{
    uint32_t control;

    if (gic.version >= 3) {
        control = read32(distributor + GICD_CTLR);
        group0_is_ours = control & GICD_CTLR_DS;
        write32(distributor + GICD_CTLR, control | GICD_CTLR_ARE | GICD_CTLR_ENABLE_GROUPS);
        wait_while(distributor + GICD_CTLR, GICD_CTLR_BUSY);
        return;
    }
    /* Where secure firmware keeps group 0, the group bits read as zero and ignore writes. */
    write32(distributor + GICD_IGROUPR, ~(1u << SGI_FIQ));
    group0_is_ours = read32(distributor + GICD_IGROUPR) == ~(1u << SGI_FIQ);
    write32(distributor + GICD_CTLR, GICD_CTLR_ENABLE_GROUPS);
}

bool gic_init_boot(void)
{
    if (gic.version < 2 || gic.version > 3 || !gic.distributor_phys)
        return false;
    distributor = (uintptr_t)arch_map_device(gic.distributor_phys, GICD_BYTES);
    if (gic.version == 2)
        cpu_interface = (uintptr_t)arch_map_device(gic.cpu_interface_phys, GICC_BYTES);
    for (uint32_t i = 0; i < gic.nr_areas && gic.version == 3; i++)
        list_area(gic.areas[i].phys, gic.areas[i].bytes);
    works = distributor &&
            (gic.version == 3 ? arm64_this_cpu()->redistributor != 0 : cpu_interface != 0);
    if (works)
        init_distributor();
    return works;
}

/* The banked registers of the first 32 interrupts are at the same place in the distributor of
 * version 2 and in the SGI frame of version 3. */
static void init_private(uintptr_t at)
{
    write32(at + GICD_IGROUPR, group0_is_ours ? ~(1u << SGI_FIQ) : ~0u);
    for (unsigned i = 0; i < 32; i += 4)
        write32(at + GICD_IPRIORITYR + i, PRIORITY_IRQ * 0x01010101u);
    if (group0_is_ours)
        *(volatile uint8_t *)(at + GICD_IPRIORITYR + SGI_FIQ) = PRIORITY_FIQ;
    write32(at + GICD_ISENABLER, 1u << SGI_KICK | 1u << SGI_FIQ | 1u << PPI_VIRTUAL_TIMER);
}

static void init_cpu_v3(struct arm64_cpu *me)
{
    uintptr_t frame = me->redistributor;

    if (!frame)
        return;
    write32(frame + GICR_WAKER, read32(frame + GICR_WAKER) & ~GICR_WAKER_SLEEP);
    wait_while(frame + GICR_WAKER, GICR_WAKER_ASLEEP);
    init_private(frame + GICR_SGI_FRAME);
    SYSREG_WRITE_(ICC_SRE_EL1, SYSREG_READ_(ICC_SRE_EL1) | 1);
    isb();
    SYSREG_WRITE_(ICC_PMR_EL1, 0xf0);
    SYSREG_WRITE_(ICC_CTLR_EL1, 0); /* ending an interrupt also deactivates it */
    if (group0_is_ours)
        SYSREG_WRITE_(ICC_IGRPEN0_EL1, 1);
    SYSREG_WRITE_(ICC_IGRPEN1_EL1, 1);
    isb();
}

static void init_cpu_v2(struct arm64_cpu *me)
{
    uint32_t targets = 0;

    /* A CPU reads its own bit in the target fields of its private interrupts. */
    for (unsigned i = 0; i < 32 && !targets; i += 4)
        targets = read32(distributor + GICD_ITARGETSR + i);
    targets |= targets >> 16;
    me->gic_target = (targets | targets >> 8) & 0xff;
    init_private(distributor);
    write32(cpu_interface + GICC_PMR, 0xf0);
    write32(cpu_interface + GICC_CTLR, group0_is_ours ? GICC_CTLR_BOTH_GROUPS : 1u);
}

void gic_init_cpu(void)
{
    if (!works)
        return;
    if (gic.version == 3)
        init_cpu_v3(arm64_this_cpu());
    else
        init_cpu_v2(arm64_this_cpu());
}

/* --- sending and taking --- */

/* ICC_SGI1R_EL1 and ICC_SGI0R_EL1: affinities 3 to 1, a block of 16 of affinity 0, a bit in it. */
static uint64_t sgi_target(uint64_t hw_id, uint32_t sgi)
{
    uint64_t aff0 = hw_id & 0xff, aff1 = hw_id >> 8 & 0xff, aff2 = hw_id >> 16 & 0xff;
    uint64_t aff3 = hw_id >> 32 & 0xff;

    return aff3 << 48 | (aff0 / 16) << 44 | aff2 << 32 | (uint64_t)sgi << 24 | aff1 << 16 |
           1ull << (aff0 % 16);
}

static void send(uint32_t cpu, uint32_t sgi)
{
    /* I3 */
    __asm__ volatile("dsb ishst" : : : "memory");
    if (gic.version == 2) {
        /* NSATT 0: group 0; ignored where the group is not ours. */
        uint32_t group1 = sgi == SGI_KICK && group0_is_ours ? 1u << 15 : 0;

        write32(distributor + GICD_SGIR, arm64_cpu(cpu)->gic_target << 16 | group1 | sgi);
        return;
    }
    if (sgi == SGI_FIQ)
        SYSREG_WRITE_(ICC_SGI0R_EL1, sgi_target(arm64_cpu(cpu)->hw_id, sgi));
    else
        SYSREG_WRITE_(ICC_SGI1R_EL1, sgi_target(arm64_cpu(cpu)->hw_id, sgi));
    isb();
}

bool gic_kick(uint32_t cpu)
{
    if (works)
        send(cpu, SGI_KICK);
    return works;
}

bool gic_send_fiq(uint32_t cpu)
{
    if (!works || !group0_is_ours)
        return false;
    send(cpu, SGI_FIQ);
    return true;
}

static uint32_t take_v2(void)
{
    uint32_t taken = read32(cpu_interface + GICC_IAR);

    __asm__ volatile("dsb sy" : : : "memory"); /* I3 */
    if ((taken & 0x3ff) < INTERRUPTS_SPECIAL)
        write32(cpu_interface + GICC_EOIR, taken);
    return taken & 0x3ff;
}

static uint32_t take_v3(void)
{
    uint32_t taken = (uint32_t)SYSREG_READ_(ICC_IAR1_EL1) & 0xffffff;

    __asm__ volatile("dsb sy" : : : "memory"); /* I3 */
    if (taken < INTERRUPTS_SPECIAL)
        SYSREG_WRITE_(ICC_EOIR1_EL1, taken);
    isb();
    return taken;
}

bool gic_take(void)
{
    bool kick = false;
    uint32_t taken;

    for (unsigned i = 0; i < 32; i++) {
        taken = gic.version == 2 ? take_v2() : take_v3();
        if (taken >= INTERRUPTS_SPECIAL)
            break;
        kick |= taken == SGI_KICK;
    }
    return kick;
}

void gic_take_fiq(void)
{
    uint32_t taken;

    if (gic.version == 2) {
        (void)take_v2();
        return;
    }
    taken = (uint32_t)SYSREG_READ_(ICC_IAR0_EL1) & 0xffffff;
    if (taken < INTERRUPTS_SPECIAL)
        SYSREG_WRITE_(ICC_EOIR0_EL1, taken);
    isb();
}
