/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local APIC, through its window (xAPIC) or its MSRs (x2APIC); Intel SDM vol. 3, chapter 11.
 *
 * x2APIC is used where firmware has it on already (the window is dead then, and leaving the mode
 * needs a reset), or where an id does not fit into 8 bits. Otherwise the mode stays as it was:
 * without interrupt remapping firmware may not expect the other one.
 *
 * I1. All CPUs are in the same mode: it is fixed before the first one is started.
 */
#include <arch/hooks.h>
#include <arch/irq.h>
#include <arch/mmu.h>
#include <arch/pio.h>
#include <arch/wait.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

#define APIC_BASE_ENABLE (1ull << 11)
#define APIC_BASE_X2APIC (1ull << 10)
#define APIC_BASE_ADDRESS 0x000ffffffffff000ull
#define XAPIC_ID_MAX 254u /* 255 is all of them */
#define ICR_BUSY (1u << 12)
#define ICR_SPINS_MAX 100000u
#define SVR_ENABLE 0x100u
#define LVT_MASKED (1u << 16)
#define TIMER_DIVIDE_BY_16 3u
/* 0.1 s at 1 GHz, which is what emulators and hypervisors count with; a real bus clock is slower
 * and the sleep longer. It is a net under sleep.c, no clock. */
#define TIMER_COUNT (100000000u / 16)

enum lapic_register {
    LAPIC_TPR = 0x080,
    LAPIC_EOI = 0x0b0,
    LAPIC_SVR = 0x0f0,
    LAPIC_ICR = 0x300,
    LAPIC_ICR_HIGH = 0x310,
    LAPIC_LVT_TIMER = 0x320,
    LAPIC_LVT_LINT0 = 0x350,
    LAPIC_TIMER_COUNT = 0x380,
    LAPIC_TIMER_DIVIDE = 0x3e0,
};

static bool x2apic;
static volatile uint32_t *window; /* NULL with x2APIC, or before lapic_init_boot() */

static void lapic_write(enum lapic_register reg, uint32_t value)
{
    if (x2apic)
        wrmsr(MSR_X2APIC + reg / 16, value);
    else if (window)
        window[reg / 4] = value;
}

bool lapic_is_x2apic(void)
{
    return x2apic;
}

void lapic_init_boot(void)
{
    uint64_t base = rdmsr(MSR_APIC_BASE);

    x2apic = base & APIC_BASE_X2APIC;
    if (!x2apic) {
        window = arch_map_device(base & APIC_BASE_ADDRESS, ARCH_PAGE_BYTES);
        if (!window)
            hook_panic("no window for the local APIC");
        wrmsr(MSR_APIC_BASE, base | APIC_BASE_ENABLE);
    }
    lapic_init_cpu();
    lapic_write(LAPIC_LVT_LINT0, LVT_MASKED); /* the PIC's line; masked after INIT on the others */
}

bool lapic_use_x2apic(void)
{
    if (!x2apic && x86_features.x2apic) {
        x2apic = true;
        lapic_init_cpu();
    }
    return x2apic;
}

void lapic_init_cpu(void)
{
    uint64_t base = x2apic ? rdmsr(MSR_APIC_BASE) : 0;

    if (x2apic && !(base & APIC_BASE_X2APIC))
        wrmsr(MSR_APIC_BASE, base | APIC_BASE_ENABLE | APIC_BASE_X2APIC);
    /* Only our vectors, 0xf0 and up: what a device that firmware used may still send stays out
     * (Intel SDM vol. 3, 11.8.3.1). */
    lapic_write(LAPIC_TPR, VECTOR_FIRST_OURS - 0x10);
    lapic_write(LAPIC_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
}

void lapic_eoi(void)
{
    lapic_write(LAPIC_EOI, 0);
}

/* The window's command register is two words, and busy until the bus has taken the command. Nothing
 * emulates the bus: there the look at it is only an exit more. */
static void send_by_window(uint32_t hw_id, uint32_t command)
{
    unsigned spins = 0;

    while (!x86_features.hypervisor && window[LAPIC_ICR / 4] & ICR_BUSY && spins++ < ICR_SPINS_MAX)
        cpu_relax();
    window[LAPIC_ICR_HIGH / 4] = hw_id << 24;
    window[LAPIC_ICR / 4] = command;
}

bool lapic_send(uint64_t hw_id, uint32_t command)
{
    unsigned long irqs;

    if (hw_id > (x2apic ? UINT32_MAX - 1 : XAPIC_ID_MAX) || !(x2apic || window))
        return false;
    irqs = irq_save(); /* no other command between the two words */
    /* What was written before is to be seen by the CPU that is interrupted. A write to the window
     * is ordered by itself, a WRMSR to the x2APIC is not (Intel SDM vol. 3, 11.12.3). */
    __asm__ volatile("mfence\n\tlfence" : : : "memory");
    if (x2apic)
        wrmsr(MSR_X2APIC + LAPIC_ICR / 16, hw_id << 32 | command);
    else
        send_by_window((uint32_t)hw_id, command);
    irq_restore(irqs);
    return true;
}

void lapic_timer_setup(void)
{
    lapic_write(LAPIC_TIMER_DIVIDE, TIMER_DIVIDE_BY_16);
    lapic_write(LAPIC_LVT_TIMER, VECTOR_TIMER); /* one shot, not masked */
}

void lapic_timer_start(void)
{
    lapic_write(LAPIC_TIMER_COUNT, TIMER_COUNT);
}

/* Intel 8259A data sheet: ICW1 edge, cascade, ICW4 follows; ICW2 first vector; ICW3 the cascade's
 * line; ICW4 8086 mode; then the mask. */
void x86_pic_disable(void)
{
    static const uint8_t first[4] = {0x11, 0xe0, 0x04, 0x01}, second[4] = {0x11, 0xe8, 0x02, 0x01};

    for (unsigned i = 0; i < 4; i++) {
        pio_write8(i ? 0x21 : 0x20, first[i]);
        pio_write8(i ? 0xa1 : 0xa0, second[i]);
    }
    pio_write8(0x21, 0xff);
    pio_write8(0xa1, 0xff);
}
