/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock profiles (lock_profile.h): who waited, how long, who held.
 *
 * Each CPU has one line for each class in a per-CPU area, and a small stack of the profiled locks
 * it holds with the time that each was got, so that the lock itself stays 4 bytes.
 *
 * P1. A class's line of a CPU is written by that CPU alone.
 * P2. Locks keep SPIN_PROFILED from the first acquisition to the last of a pass: it is set and
 *     cleared only while nobody holds or waits. A dynamic lock that outlives the pass keeps it and
 *     works on, uncounted.
 */
#include "core/lock_profile.h"

#include <arch/time.h>

#include "core/log.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/spinlock_internal.h"
#include "core/string.h"
#include "core/time.h"
#include "core/topology.h"

#define LOCK_HELD_MAX 8u /* deeper nesting is counted, its hold time not */

struct lock_line {
    struct lock_profile counts;
} cacheline_aligned;

struct lock_held {
    const struct spinlock *lock;
    uint64_t since;
};

struct lock_held_stack {
    struct lock_held held[LOCK_HELD_MAX];
    uint32_t depth;
};

static PERCPU_STATIC struct lock_held_stack lock_held_percpu;
static percpu_area_t lock_lines; /* indexed by class number; kept from the first pass on */
static uint32_t lock_nr_classes;
static bool lock_profiling;
static uint64_t lock_stall_ticks;

void lock_classes_init(void)
{
    for (REGISTRY_EACH(lock_classes, struct lock_class, c)) {
        if (++lock_nr_classes > LOCK_CLASS_MAX)
            panic("more than %u lock classes", LOCK_CLASS_MAX);
        (*c)->number = lock_nr_classes;
    }
}

static struct lock_line *lock_line_of(uint32_t class_number, uint32_t cpu)
{
    return (struct lock_line *)percpu_at(lock_lines, cpu) + class_number;
}

static void lock_mark_all(bool profiled)
{
    for (REGISTRY_EACH(lock_classes, struct lock_class, c))
        (*c)->initial_word = profiled ? SPIN_PROFILED | (*c)->number << SPIN_CLASS_SHIFT : 0;
    for (REGISTRY_EACH(lock_statics, const struct lock_static, s)) {
        ASSERT(!(atomic_load_explicit(&(*s)->lock->word, memory_order_relaxed) & ~SPIN_KEPT_MASK));
        spin_lock_init((*s)->lock, (*s)->class);
    }
}

void lock_profile_begin(void)
{
    size_t bytes = (lock_nr_classes + 1) * sizeof(struct lock_line);

    if (!lock_lines)
        lock_lines = percpu_area_alloc(bytes, CACHE_LINE_BYTES);
    if (!lock_lines) {
        log_warn("no memory for lock profiles");
        return;
    }
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        memset(percpu_at(lock_lines, cpu), 0, bytes);
    lock_stall_ticks = time_ms_to_ticks(LOCK_STALL_MS);
    lock_mark_all(true);
    lock_profiling = true;
}

void lock_profile_end(void)
{
    lock_profiling = false;
    lock_mark_all(false);
}

void lock_profile_sum(const struct lock_class *class, struct lock_profile *out)
{
    *out = (struct lock_profile){0};
    if (!lock_lines)
        return;
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        const struct lock_profile *p = &lock_line_of(class->number, cpu)->counts;

        out->acquisitions += p->acquisitions;
        out->contentions += p->contentions;
        out->wait_ticks += p->wait_ticks;
        out->hold_ticks += p->hold_ticks;
        out->stalls += p->stalls;
        out->wait_max_ticks = MAX(out->wait_max_ticks, p->wait_max_ticks);
    }
}

static struct lock_profile *lock_counts_here(const struct spinlock *lock)
{
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    uint32_t number = (word & SPIN_KEPT_MASK & ~SPIN_PROFILED) >> SPIN_CLASS_SHIFT;

    return &lock_line_of(number, this_cpu_id())->counts;
}

static void lock_count_wait(const struct spinlock *lock, uint64_t since, bool contended)
{
    struct lock_held_stack *stack = this_cpu_ptr(lock_held_percpu);
    struct lock_profile *p = lock_counts_here(lock);
    uint64_t now = arch_stamp_loose(), wait = now > since ? now - since : 0;

    p->acquisitions++;
    if (contended) {
        p->contentions++;
        p->wait_ticks += wait;
        p->wait_max_ticks = MAX(p->wait_max_ticks, wait);
    }
    if (stack->depth < LOCK_HELD_MAX)
        stack->held[stack->depth++] = (struct lock_held){lock, now};
}

noinline void lock_profile_acquire(struct spinlock *lock)
{
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed) & SPIN_KEPT_MASK;
    uint64_t since = lock_profiling ? arch_stamp_loose() : 0;
    bool contended = !atomic_compare_exchange_strong_explicit(
        &lock->word, &word, word | SPIN_HELD_PROFILED, memory_order_acquire, memory_order_relaxed);

    if (contended)
        spin_lock_queued(lock, SPIN_HELD_PROFILED);
    if (lock_profiling)
        lock_count_wait(lock, since, contended);
}

static void lock_count_hold(const struct spinlock *lock, uint64_t since)
{
    struct lock_profile *p = lock_counts_here(lock);
    uint64_t now = arch_stamp_loose();

    if (now - since < lock_stall_ticks)
        p->hold_ticks += now - since;
    else if (now > since)
        p->stalls++;
}

/* Locks are mostly released in the reverse order: the search from the top is short. */
noinline void lock_profile_release(struct spinlock *lock)
{
    struct lock_held_stack *stack = this_cpu_ptr(lock_held_percpu);

    for (uint32_t i = stack->depth; i-- > 0;) {
        if (stack->held[i].lock != lock)
            continue;
        if (lock_profiling)
            lock_count_hold(lock, stack->held[i].since);
        stack->held[i] = stack->held[--stack->depth];
        return;
    }
}
