/* SPDX-License-Identifier: Apache-2.0 */
/* The spin-loop hint of an arm64 host. */
#ifndef PORT_WAIT_H
#define PORT_WAIT_H

static inline void cpu_relax(void)
{
    __asm__ volatile("yield" ::: "memory");
}

#endif
