/* SPDX-License-Identifier: Apache-2.0 */
/* The spin-loop hint of the simulated machine: a word to the simulator (arch/sim/backend.h). */
#ifndef PORT_WAIT_H
#define PORT_WAIT_H

void sim_relax(void);

static inline void cpu_relax(void)
{
    sim_relax();
}

#endif
