/* SPDX-License-Identifier: Apache-2.0 */
/* How a new stack begins, and where a CPU that does not run was, on an arm64 host. */
#ifndef PORT_NEW_STACK_H
#define PORT_NEW_STACK_H

#include <stdint.h>

/* What sim_switch_stacks() takes off a new stack: frame 0, return address entry. */
static inline void *context_new_stack(uintptr_t top, void (*entry)(void))
{
    uintptr_t *words = (uintptr_t *)top - 20;

    for (int i = 0; i < 20; i++)
        words[i] = 0;
    words[1] = (uintptr_t)entry;
    return words;
}

static inline uintptr_t context_saved_pc(const void *sp)
{
    return ((const uintptr_t *)sp)[1];
}

static inline uintptr_t context_saved_frame(const void *sp)
{
    return ((const uintptr_t *)sp)[0];
}

#endif
