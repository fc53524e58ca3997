/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting in a process: futexes (futex(2)).
 *
 * arch_wake_word() must be cheap when nobody sleeps, so sleepers are counted in a table hashed by
 * address, and only a non-zero count costs a system call.
 *
 * I1. No wake is lost. Sleeper: count++ (acq_rel), then the host compares the word before it
 *     sleeps. Waker: change the word, then count += 0 (acq_rel). Both are read-modify-writes of one
 *     object, so one comes first: either the waker sees the sleeper's count and wakes it, or the
 *     sleeper's count++ reads from the waker's and with it sees the changed word.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <arch/wait.h>

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch/hosted/hosted.h"

#define SLEEP_NS 10000000l
#define SLEEPER_LINES 64u

static struct {
    _Atomic uint32_t count;
} __attribute__((aligned(64))) sleepers[SLEEPER_LINES];

static void futex_wait(const _Atomic uint32_t *word, uint32_t old, const struct timespec *timeout)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, timeout, NULL, 0);
}

static void futex_wake(const _Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static _Atomic uint32_t *sleepers_of(const _Atomic uint32_t *word)
{
    uint64_t hash = ((uintptr_t)word >> 2) * 0x9e3779b97f4a7c15ull;

    return &sleepers[(hash >> 32) % SLEEPER_LINES].count;
}

void arch_sleep_word(const _Atomic uint32_t *word, uint32_t old)
{
    const struct timespec timeout = {.tv_nsec = SLEEP_NS};
    _Atomic uint32_t *count = sleepers_of(word);

    atomic_fetch_add_explicit(count, 1, memory_order_acq_rel);
    futex_wait(word, old, &timeout);
    atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
}

void arch_wake_word(const _Atomic uint32_t *word)
{
    if (atomic_fetch_add_explicit(sleepers_of(word), 0, memory_order_acq_rel))
        futex_wake(word);
}

/* The kick is taken by an exchange and not by a store: a store could come behind a newer kick than
 * the one that ended the wait, in the order of this word, and the work that was posted before that
 * kick would neither be seen now nor end the next park. The exchange reads the newest kick that it
 * takes away; acquire, to arch_cpu_kick()'s release: the work before that kick is seen. The load
 * only saves a system call, and the host compares the word again: relaxed. */
void arch_cpu_park(void)
{
    _Atomic uint32_t *kicked = &hosted_cpus[this_cpu_id()].kicked;

    if (!atomic_load_explicit(kicked, memory_order_relaxed))
        futex_wait(kicked, 0, NULL);
    (void)atomic_exchange_explicit(kicked, 0, memory_order_acquire);
}

void arch_cpu_kick(uint32_t cpu)
{
    atomic_store_explicit(&hosted_cpus[cpu].kicked, 1, memory_order_release);
    futex_wake(&hosted_cpus[cpu].kicked);
}
