/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the CPUs of a measurement meet. Usable again and again; every wait ends by a deadline.
 *
 * I1. `generation` changes only after all members have arrived, and `arrived` is 0 again by then.
 * I2. What the last one did in `last` is seen by all who return true (release/acquire on
 *     `generation`); what each did before is seen by `last` (acq_rel on `arrived`).
 * Cost: one atomic on a shared line for each member; the waiters spin on a line of its own.
 */
#ifndef BENCH_BARRIER_H
#define BENCH_BARRIER_H

#include <stdatomic.h>

#include "core/compiler.h"

struct barrier {
    uint32_t members;
    cacheline_aligned _Atomic uint32_t arrived;
    cacheline_aligned _Atomic uint32_t generation;
};

void barrier_init(struct barrier *b, uint32_t members);

/* Waits for the others; the last one to come calls last(arg) (NULL: nothing) before all go on.
 * False when the stamp has passed `deadline`: somebody is missing, and the barrier is of no use
 * any more. Context: any CPU. */
bool barrier_meet(struct barrier *b, void (*last)(void *arg), void *arg, uint64_t deadline)
    must_check;

#endif
