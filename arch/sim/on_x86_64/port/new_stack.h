/* SPDX-License-Identifier: Apache-2.0 */
/* How a new stack begins, and where a CPU that does not run was, on an x86-64 host. */
#ifndef PORT_NEW_STACK_H
#define PORT_NEW_STACK_H

#include <stdint.h>

/* What sim_switch_stacks() takes off a new stack; entry() begins as if it had been called. */
static inline void *context_new_stack(uintptr_t top, void (*entry)(void))
{
    uintptr_t *words = (uintptr_t *)top - 8;

    for (int i = 0; i < 6; i++)
        words[i] = 0;
    words[6] = (uintptr_t)entry;
    words[7] = 0; /* where entry() would return to */
    return words;
}

/* Of a CPU that does not run: where sim_switch_stacks() was called, and that function's frame. */
static inline uintptr_t context_saved_pc(const void *sp)
{
    return ((const uintptr_t *)sp)[6];
}

static inline uintptr_t context_saved_frame(const void *sp)
{
    return ((const uintptr_t *)sp)[5];
}

#endif
