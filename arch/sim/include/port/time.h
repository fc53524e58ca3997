/* SPDX-License-Identifier: Apache-2.0 */
/* The stamp of the simulated machine is the CPU's simulated time in ns: the same clock on every CPU,
 * in the order in which the CPUs hear of each other. */
#ifndef PORT_TIME_H
#define PORT_TIME_H

uint64_t arch_stamp(void);
uint64_t arch_stamp_loose(void);

#define PORT_TIME_IS_SIMULATED

/* Simulated CPUs have no clock of their own beside it. */
static inline uint64_t arch_cycles(void)
{
    return 0;
}

#endif
