/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: waiting for another CPU.
 *
 *   void cpu_relax(void);   a hint inside a spin loop (PAUSE, YIELD); compiler barrier
 *
 * The two functions below give the processor away while waiting. core/wait.c decides when they are
 * used: never on a machine whose CPUs are real, since a sleep changes what is measured; only where
 * the CPUs outnumber the processors beneath them (an emulator, a Linux process with more CPUs than
 * the host), since there a spinning waiter steals the time of the one it waits for.
 */
#ifndef ARCH_WAIT_H
#define ARCH_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

#include <port/wait.h>

/* Sleeps until *word != old, or for about 0.1 s, or less: the caller checks again. A change of the
 * word that is followed by arch_wake_word() is never missed. Context: interrupts masked. */
void arch_sleep_word(const _Atomic uint32_t *word, uint32_t old);

/* Wakes whoever sleeps on `word`; call after it was changed. Cost: a fence and a read for each CPU
 * when nobody sleeps; an IPI (bare metal) or a system call (hosted) for each sleeper. */
void arch_wake_word(const _Atomic uint32_t *word);

#endif
