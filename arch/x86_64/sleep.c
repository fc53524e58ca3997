/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping until a word changes; only used where CPUs outnumber the processors beneath them.
 *
 *   sleeper                              waker
 *   slot = word                          changes *word
 *   nr_sleepers++                        fence
 *   fence                                nr_sleepers == 0: done
 *   *word still old: halt                each slot == word: slot = none, IPI
 *
 * I1. Either the waker's reads see the slot, or the sleeper's read sees the changed word: the two
 *     sequentially consistent fences are in one order or the other (Dekker; C11 7.17.4).
 * I2. The IPI cannot come too early: interrupts are masked until the halt, and it stays pending.
 * I3. So no wake is lost; the timer of about 0.1 s is a net, and left running from one sleep to the
 *     next, since starting it costs an emulator much.
 *
 * The slots lie side by side, not in the CPUs' units: a waker reads all of them.
 */
#include <arch/hooks.h>
#include <arch/mmu.h>
#include <arch/wait.h>

#include "arch/x86_64/x86.h"

typedef const _Atomic uint32_t *sleep_word;

static _Atomic sleep_word *slots; /* by CPU; none before arch_cpus_start() */
static _Atomic uint32_t nr_sleepers;

int x86_sleep_init(void)
{
    size_t bytes = x86_nr_cpus * sizeof(*slots);
    uintptr_t top = arch_stack_alloc(bytes);

    if (!top)
        return -X86_ENOMEM;
    slots = (_Atomic sleep_word *)((top - bytes) & ~(uintptr_t)(ARCH_PAGE_BYTES - 1));
    return 0;
}

static void bound_sleep(struct x86_cpu *me)
{
    if (!me->timer_ready) {
        me->timer_ready = true;
        lapic_timer_setup();
    }
    if (!me->timer_armed) {
        me->timer_armed = true;
        lapic_timer_start();
    }
}

void arch_sleep_word(const _Atomic uint32_t *word, uint32_t old)
{
    _Atomic sleep_word *slot;

    if (!slots) {
        cpu_relax();
        return;
    }
    slot = &slots[this_cpu_id()];
    bound_sleep(x86_this_cpu());
    atomic_store_explicit(slot, word, memory_order_relaxed);
    atomic_fetch_add_explicit(&nr_sleepers, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* I1 */
    if (atomic_load_explicit(word, memory_order_relaxed) == old)
        x86_halt();
    atomic_store_explicit(slot, NULL, memory_order_relaxed);
    atomic_fetch_sub_explicit(&nr_sleepers, 1, memory_order_relaxed);
}

/* Whoever takes the word out of the slot sends the one IPI. */
static void wake(uint32_t cpu, sleep_word word)
{
    if (atomic_compare_exchange_strong_explicit(&slots[cpu], &word, NULL, memory_order_relaxed,
                                                memory_order_relaxed))
        (void)lapic_send(x86_head(cpu)->hw_id, ICR_FIXED | VECTOR_WAKE);
}

void arch_wake_word(const _Atomic uint32_t *word)
{
    atomic_thread_fence(memory_order_seq_cst); /* I1 */
    if (!atomic_load_explicit(&nr_sleepers, memory_order_relaxed))
        return;
    for (uint32_t cpu = 0; cpu < x86_nr_cpus; cpu++)
        if (atomic_load_explicit(&slots[cpu], memory_order_relaxed) == word)
            wake(cpu, word);
}
