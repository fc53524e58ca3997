/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting all CPUs and giving them work. CPUs without work are parked (halted).
 */
#ifndef CORE_SMP_H
#define CORE_SMP_H

#include "core/topology.h"

/* Starts every usable CPU in parallel, waits SMP_START_MS for all together, asks the silent ones
 * once more, then reports them as failed and goes on. */
void smp_start_all(void);
#define SMP_START_MS 2000u

/* Runs fn(arg) on every CPU of the list (the boot CPU may be among them: it runs its part last),
 * waits until all are done. Returns 0, or -CS_ETIMEDOUT with the CPUs that did not come back named
 * in the log after `ms` (they are probed for a backtrace); from then on it always returns -CS_EIO,
 * since a CPU that comes back late cannot be told from one that works. Context: boot CPU only. */
int smp_run(const uint32_t *cpus, uint32_t count, void (*fn)(void *arg), void *arg, uint32_t ms) must_check;
/* Interrupts `cpu` even where it has masked interrupts and prints where it is. Bounded. Context: any
 * other CPU, one at a time. */
void smp_probe_and_print(uint32_t cpu);

/* On all online CPUs. */
int smp_run_all(void (*fn)(void *arg), void *arg, uint32_t ms) must_check;

#endif
