/* SPDX-License-Identifier: Apache-2.0 */
/* Processes have no interrupts: they count as masked always, and there is nothing to save. */
#ifndef PORT_IRQ_H
#define PORT_IRQ_H

static inline unsigned long irq_save(void)
{
    __asm__ volatile("" ::: "memory");
    return 0;
}

static inline void irq_restore(unsigned long state)
{
    (void)state;
    __asm__ volatile("" ::: "memory");
}

static inline bool irqs_enabled(void)
{
    return false;
}

#endif
