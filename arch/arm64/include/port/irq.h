/* SPDX-License-Identifier: Apache-2.0 */
/* arch/irq.h on arm64: PSTATE.I. FIQ stays as it is: it is what probes and stops a CPU that has
 * masked its interrupts (arch/arm64/gic.c). */
#ifndef PORT_IRQ_H
#define PORT_IRQ_H

#define ARM64_DAIF_I (1ul << 7)

static inline unsigned long arm64_daif(void)
{
    unsigned long daif;

    __asm__ volatile("mrs %0, daif" : "=r"(daif) : : "memory");
    return daif;
}

static inline unsigned long irq_save(void)
{
    unsigned long daif = arm64_daif();

    __asm__ volatile("msr daifset, #2" : : : "memory");
    return daif;
}

static inline void irq_restore(unsigned long state)
{
    if (state & ARM64_DAIF_I)
        __asm__ volatile("" : : : "memory");
    else
        __asm__ volatile("msr daifclr, #2" : : : "memory");
}

static inline bool irqs_enabled(void)
{
    return !(arm64_daif() & ARM64_DAIF_I);
}

#endif
