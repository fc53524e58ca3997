/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulator must know of an arm64 host: signal contexts, and how a new stack begins. */
#ifndef PORT_CONTEXT_H
#define PORT_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

#define SIM_GOARCH "arm64"

static inline uintptr_t context_pc(const ucontext_t *uc)
{
    return uc->uc_mcontext.pc;
}

static inline uintptr_t context_frame(const ucontext_t *uc)
{
    return uc->uc_mcontext.regs[29];
}

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
