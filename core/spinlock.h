/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queued spinlock, 4 bytes: first come, first served, each waiter spins on its own line.
 *
 *    31            16 15   14 … 9    8     7 … 0
 *   +----------------+----+--------+-----+--------+
 *   | tail: cpu+1,   | P  | class  |  0  | locked |
 *   | and nesting    |    |        |     |        |
 *   +----------------+----+--------+-----+--------+
 *
 * P (profiled) keeps the word from ever being 0, so that the uncontended path of a profiled lock
 * fails its compare and lands in the slow path, which measures; an unprofiled lock pays nothing
 * for it except one compare of a byte it owns at unlock (`locked` is SPIN_HELD, or
 * SPIN_HELD_PROFILED). See core/lock_profile.h. Where waiters may sleep (core/wait.h), unlocking
 * takes the slow path too, which wakes.
 *
 * I1. The locked byte is written by the holder alone, except in the uncontended compare-exchange.
 * I2. Acquire: the successful exchange or the load that sees the hand-off. Release: the store of 0.
 * I3. A waiter's node belongs to it until it holds the lock; nodes are per CPU, one for each level
 *     of nesting (LOCK_NESTING).
 * I4. Lock order of the kernel is stated at each lock class's definition.
 *
 * Every wait is bounded (core/wait.h): a lock not got within WAIT_DEADLINE_MS panics, naming the
 * lock's address and class. Context: any; a lock that interrupt code takes must be taken with
 * spin_lock_irqsave. Cost: one atomic on the lock's line to take, one store to release.
 */
#ifndef CORE_SPINLOCK_H
#define CORE_SPINLOCK_H

#include <stdatomic.h>

#include <arch/irq.h>

#include "core/compiler.h"
#include "core/registry.h"
#include "core/wait.h"

struct spinlock {
    union {
        _Atomic uint32_t word;
        _Atomic uint8_t locked; /* little endian: the low byte */
        _Atomic uint16_t halves[2]; /* the high one is the tail */
    };
};
_Static_assert(sizeof(struct spinlock) == 4, "as small as the locks it stands for");

#define SPIN_HELD 1u
#define SPIN_HELD_PROFILED 2u
#define SPIN_PROFILED (1u << 15)
#define SPIN_CLASS_SHIFT 9u

/* A kind of lock, for profiles: every lock is initialised with one. LOCK_CLASS_MAX of them. */
struct lock_class {
    const char *name;      /* "percpu area allocator" */
    uint32_t initial_word; /* 0, or P and the class number while profiled */
    uint32_t number;       /* 1 … LOCK_CLASS_MAX, given at boot */
    bool of_objects;       /* one lock in each of many objects: only an object's users meet there */
};
#define LOCK_CLASS_MAX 63u

REGISTRY_DECLARE(lock_classes, struct lock_class);
#define LOCK_CLASS(id, name_)                                                                      \
    static struct lock_class id = {.name = name_};                                                 \
    REGISTRY_ADD(lock_classes, struct lock_class, id)
#define LOCK_CLASS_OF_OBJECTS(id, name_)                                                           \
    static struct lock_class id = {.name = name_, .of_objects = true};                             \
    REGISTRY_ADD(lock_classes, struct lock_class, id)

/* A static lock: SPINLOCK_STATIC(name, class_id) also lists it, so that profiling can mark it. */
struct lock_static {
    struct spinlock *lock;
    struct lock_class *class;
};
REGISTRY_DECLARE(lock_statics, const struct lock_static);
#define SPINLOCK_STATIC(id, class_)                                                                \
    struct spinlock id;                                                                            \
    static const struct lock_static id##_listed = {&(id), &(class_)};                              \
    REGISTRY_ADD(lock_statics, const struct lock_static, id##_listed)

static inline void spin_lock_init(struct spinlock *lock, const struct lock_class *class)
{
    atomic_store_explicit(&lock->word, class->initial_word, memory_order_relaxed);
}

void spin_lock_slow(struct spinlock *lock);
void spin_unlock_slow(struct spinlock *lock);

static always_inline void spin_lock(struct spinlock *lock)
{
    uint32_t free_word = 0;

    if (unlikely(!atomic_compare_exchange_strong_explicit(
            &lock->word, &free_word, SPIN_HELD, memory_order_acquire, memory_order_relaxed)))
        spin_lock_slow(lock);
}

static always_inline void spin_unlock(struct spinlock *lock)
{
    if (unlikely((atomic_load_explicit(&lock->locked, memory_order_relaxed) != SPIN_HELD) |
                 wait_sleeps))
        spin_unlock_slow(lock);
    else
        atomic_store_explicit(&lock->locked, 0, memory_order_release);
}

bool spin_trylock(struct spinlock *lock) must_check;

static always_inline unsigned long spin_lock_irqsave(struct spinlock *lock)
{
    unsigned long state = irq_save();

    spin_lock(lock);
    return state;
}

static always_inline void spin_unlock_irqrestore(struct spinlock *lock, unsigned long state)
{
    spin_unlock(lock);
    irq_restore(state);
}

#endif
