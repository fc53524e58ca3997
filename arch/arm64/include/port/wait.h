/* SPDX-License-Identifier: Apache-2.0 */
/* arch/wait.h on arm64: YIELD, a hint to the other thread of the core (and to an emulator). */
#ifndef PORT_WAIT_H
#define PORT_WAIT_H

static inline void cpu_relax(void)
{
    __asm__ volatile("yield" : : : "memory");
}

#endif
