/* SPDX-License-Identifier: Apache-2.0 */
/* arch/wait.h on x86-64: PAUSE. */
#ifndef PORT_WAIT_H
#define PORT_WAIT_H

static inline void cpu_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

#endif
