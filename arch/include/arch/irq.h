/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: interrupts of this CPU.
 *
 *   unsigned long irq_save(void);          mask, and say what the state was
 *   void irq_restore(unsigned long state); back to it
 *   bool irqs_enabled(void);
 *
 * irq_save is a compiler barrier and so is irq_restore. The hosted and simulated ports have no
 * interrupts: their forms keep a flag per CPU (debug builds) or nothing. Context: any CPU.
 */
#ifndef ARCH_IRQ_H
#define ARCH_IRQ_H

#include <stdbool.h>

#include <port/irq.h>

#endif
