/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: the time stamp.
 *
 *   uint64_t arch_stamp(void);        serialised: earlier loads are done before it is read, later
 *                                     instructions start after it
 *   uint64_t arch_stamp_loose(void);  the same counter, unordered, for deadlines and seeds
 *   uint64_t arch_cycles(void);       cycles of this CPU's own clock, whose rate changes with its
 *                                     load; always 0 where none are counted
 *
 * Ticks at arch_stamp_hz_claims() or, when nobody says, at a rate that core/time.c measures.
 */
#ifndef ARCH_TIME_H
#define ARCH_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include <port/time.h>

/* The rate in Hz that the hardware or hypervisor claims (CPUID 15h, 40000010h; CNTFRQ; the host's
 * clock), 0 when nothing claims one. *source names it. A claim is checked, never trusted. */
uint64_t arch_stamp_hz_claim(const char **source);

/* Whether the claim is exact by construction (the host's clock, the simulator's): not calibrated. */
bool arch_stamp_is_exact(void);

/* Whether the counter runs at one rate in every power state (CPUID 80000007h EDX bit 8; always on
 * arm64). */
bool arch_stamp_is_invariant(void);

/* --- a port whose time passes in a model only (PORT_TIME_IS_SIMULATED) --- */

#ifdef PORT_TIME_IS_SIMULATED

/* What is measured from here on, for a model that knows more of it. Boot CPU. */
void arch_measures(const char *storm, const char *design, const char *what);
/* n measured operations lie behind this CPU: a model charges what the loop around them takes. */
void arch_operations_done(uint64_t n);

#else

static inline void arch_measures(const char *storm, const char *design, const char *what)
{
    (void)storm;
    (void)design;
    (void)what;
}

static inline void arch_operations_done(uint64_t n)
{
    (void)n;
}

#endif

/* Nothing disturbs a measurement then, so its windows need no length against disturbances, and every
 * simulated ms costs the host far more than that. */
static inline bool arch_time_is_simulated(void)
{
#ifdef PORT_TIME_IS_SIMULATED
    return true;
#else
    return false;
#endif
}

#endif
