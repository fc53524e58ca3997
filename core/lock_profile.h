/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock profiles: who is the bottleneck. A pass of its own, never in a timed sample.
 *
 * lock_profile_begin() marks all listed static locks and makes every lock initialised from then on
 * profiled, by class; lock_profile_end() unmarks. Between them each acquisition counts, with wait
 * and hold time, into the CPU's own line of the class (no shared line is added to what is
 * profiled). Both are called while no lock is held and the other CPUs are parked; locks initialised
 * inside must be gone or idle by the end.
 */
#ifndef CORE_LOCK_PROFILE_H
#define CORE_LOCK_PROFILE_H

#include "core/spinlock.h"

struct lock_profile {
    uint64_t acquisitions, contentions;
    uint64_t wait_ticks, hold_ticks, wait_max_ticks;
    uint64_t stalls; /* holds of LOCK_STALL_MS and more: not in hold_ticks */
};
/* Nobody here holds a lock so long: the holder lost its processor (steal, an emulator). */
#define LOCK_STALL_MS 1u

void lock_profile_begin(void);
void lock_profile_end(void);
/* Sums the CPUs' shares for one class since lock_profile_begin(). */
void lock_profile_sum(const struct lock_class *class, struct lock_profile *out);

/* Gives the classes their numbers; at boot, before any lock is profiled. */
void lock_classes_init(void);

#endif
