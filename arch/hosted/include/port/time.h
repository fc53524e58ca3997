/* SPDX-License-Identifier: Apache-2.0 */
/* The stamp of the process is the host's CLOCK_MONOTONIC_RAW in ns: exact by construction, not
 * slewed by NTP, the same on every CPU; some 20 ns a read through the vDSO. */
#ifndef PORT_TIME_H
#define PORT_TIME_H

uint64_t arch_stamp(void);

/* The C library's call is ordered already. */
static inline uint64_t arch_stamp_loose(void)
{
    return arch_stamp();
}

/* The performance counters are left to whoever owns them. */
static inline uint64_t arch_cycles(void)
{
    return 0;
}

#endif
