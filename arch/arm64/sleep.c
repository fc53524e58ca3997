/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping until a word changes; only used where CPUs outnumber the processors beneath them.
 *
 *   sleeper                              waker
 *   slot = word                          changes *word
 *   nr_sleepers++                        fence
 *   fence                                nr_sleepers == 0: done
 *   *word still old: WFI                 each slot == word: slot = none, SGI
 *
 * I1. Either the waker's reads see the slot, or the sleeper's read sees the changed word: the two
 *     sequentially consistent fences are in one order or the other (Dekker; C11 7.17.4).
 * I2. The SGI cannot come too early: it stays pending until this CPU takes it, and a pending
 *     interrupt, masked or not, ends a WFI or keeps it from beginning.
 * I3. So no wake is lost; the virtual timer, SLEEP_MS away, is a net.
 *
 * The slots lie side by side, not in the CPUs' units: a waker reads all of them. Without an
 * interrupt controller a sleep is one cpu_relax().
 */
#include <arch/mmu.h>
#include <arch/time.h>
#include <arch/wait.h>

#include "arch/arm64/arm64.h"

#define SLEEPS_PER_SECOND 10u
#define TIMER_ON 1u

typedef const _Atomic uint32_t *sleep_word;

static _Atomic sleep_word *slots; /* by CPU; none before arch_cpus_start() */
static _Atomic uint32_t nr_sleepers;

int arm64_sleep_init(void)
{
    size_t bytes = arm64_nr_cpus * sizeof(*slots);
    uintptr_t top = arch_stack_alloc(bytes);

    if (!top)
        return -ARM64_ENOMEM;
    slots = (_Atomic sleep_word *)((top - bytes) & ~(uintptr_t)(ARCH_PAGE_BYTES - 1));
    return 0;
}

/* The timer is left running from one sleep to the next: starting it costs an emulator much. */
static void bound_sleep(struct arm64_cpu *me)
{
    uint64_t now = arch_stamp_loose();

    if (me->timer_end > now)
        return;
    me->timer_end = now + READ_SYSREG(cntfrq_el0) / SLEEPS_PER_SECOND + 1;
    WRITE_SYSREG(cntv_cval_el0, me->timer_end);
    WRITE_SYSREG(cntv_ctl_el0, TIMER_ON);
    isb();
}

/* The timer's interrupt is a level: it stays pending until the timer is off. */
bool sleep_take(struct arm64_cpu *me)
{
    if (me->timer_end && arch_stamp_loose() >= me->timer_end) {
        me->timer_end = 0;
        WRITE_SYSREG(cntv_ctl_el0, 0);
        isb();
    }
    return gic_take();
}

void arch_sleep_word(const _Atomic uint32_t *word, uint32_t old)
{
    struct arm64_cpu *me = arm64_this_cpu();
    _Atomic sleep_word *slot;

    if (!slots || !gic_works()) {
        cpu_relax();
        return;
    }
    slot = &slots[this_cpu_id()];
    bound_sleep(me);
    atomic_store_explicit(slot, word, memory_order_relaxed);
    atomic_fetch_add_explicit(&nr_sleepers, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* I1 */
    if (atomic_load_explicit(word, memory_order_relaxed) == old)
        __asm__ volatile("wfi" : : : "memory");
    atomic_store_explicit(slot, NULL, memory_order_relaxed);
    atomic_fetch_sub_explicit(&nr_sleepers, 1, memory_order_relaxed);
    if (sleep_take(me))
        atomic_store_explicit(&me->kicked, 1, memory_order_relaxed);
}

/* Whoever takes the word out of the slot sends the one SGI. */
static void wake(uint32_t cpu, sleep_word word)
{
    if (atomic_compare_exchange_strong_explicit(&slots[cpu], &word, NULL, memory_order_relaxed,
                                                memory_order_relaxed))
        (void)gic_kick(cpu);
}

void arch_wake_word(const _Atomic uint32_t *word)
{
    atomic_thread_fence(memory_order_seq_cst); /* I1 */
    if (!atomic_load_explicit(&nr_sleepers, memory_order_relaxed))
        return;
    for (uint32_t cpu = 0; cpu < arm64_nr_cpus; cpu++)
        if (atomic_load_explicit(&slots[cpu], memory_order_relaxed) == word)
            wake(cpu, word);
}
