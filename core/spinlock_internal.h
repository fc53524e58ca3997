/* SPDX-License-Identifier: Apache-2.0 */
/* What the queue (spinlock.c) and the profile (lock_profile.c) share. */
#ifndef CORE_SPINLOCK_INTERNAL_H
#define CORE_SPINLOCK_INTERNAL_H

#include "core/spinlock.h"

#define SPIN_HELD_MASK 0xffu
#define SPIN_KEPT_MASK 0xfe00u /* P and class: survive every hand-off */
#define SPIN_TAIL_SHIFT 16u

/* Waits in the queue until the lock is ours and marks it with `held`. */
void spin_lock_queued(struct spinlock *lock, uint8_t held);

/* Takes a lock whose word carries SPIN_PROFILED, and counts. */
void lock_profile_acquire(struct spinlock *lock);
/* Counts the hold time; the caller releases the lock afterwards. */
void lock_profile_release(struct spinlock *lock);

#endif
