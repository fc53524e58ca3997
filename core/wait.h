/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for a word that another CPU changes, with a deadline.
 *
 * On a machine with real CPUs a waiter spins with cpu_relax(). Where CPUs outnumber the processors
 * beneath them (wait_oversubscribed()), a waiter that has spun for a while sleeps in
 * arch_sleep_word and whoever changes the word wakes it: without that, lock hand-offs take a
 * scheduler's time slice each. The report says which policy was active.
 *
 * Invariant W1: whoever changes a word that may be waited for calls wait_wake(word) afterwards.
 */
#ifndef CORE_WAIT_H
#define CORE_WAIT_H

#include <stdatomic.h>

#include <arch/wait.h>

#include "core/compiler.h"

/* Read-mostly; set once by the boot CPU, while the others are parked. One of them may still be
 * behind its last decrement of a smp_run() and read the old value: nobody waits for that word any
 * more. */
extern bool wait_sleeps;

struct wait_state {
    uint32_t spins;
    uint64_t deadline; /* in stamps; 0 until the first check */
};

/* One step of a wait for *word to become different from `old`. Returns false once the wait has
 * lasted longer than WAIT_DEADLINE_MS (the caller panics or reports, naming what it waits for). */
bool wait_step(struct wait_state *state, const _Atomic uint32_t *word, uint32_t old) must_check;
#define WAIT_DEADLINE_MS 60000u

/* Waits for *word == value for at most `ms`; true when it came. */
bool wait_for_value(const _Atomic uint32_t *word, uint32_t value, uint32_t ms) must_check;

static inline void wait_wake(const _Atomic uint32_t *word)
{
    if (unlikely(wait_sleeps))
        arch_wake_word(word);
}

/* Chooses the policy: `cpus` against what is known or measured of the processors below. */
void wait_init(uint32_t cpus);
bool wait_oversubscribed(void);
void wait_report(void);

#endif
