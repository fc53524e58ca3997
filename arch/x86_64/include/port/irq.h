/* SPDX-License-Identifier: Apache-2.0 */
/* arch/irq.h on x86-64: RFLAGS.IF. */
#ifndef PORT_IRQ_H
#define PORT_IRQ_H

#define X86_RFLAGS_IF (1ul << 9)

static inline unsigned long x86_rflags(void)
{
    unsigned long flags;

    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags) : : "memory");
    return flags;
}

static inline unsigned long irq_save(void)
{
    unsigned long flags = x86_rflags();

    __asm__ volatile("cli" : : : "memory");
    return flags;
}

/* A test and a rare STI: POPFQ is microcoded, and here interrupts are masked nearly always. */
static inline void irq_restore(unsigned long state)
{
    if (state & X86_RFLAGS_IF)
        __asm__ volatile("sti" : : : "memory");
    else
        __asm__ volatile("" : : : "memory");
}

static inline bool irqs_enabled(void)
{
    return x86_rflags() & X86_RFLAGS_IF;
}

#endif
