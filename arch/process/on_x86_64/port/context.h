/* SPDX-License-Identifier: Apache-2.0 */
/* What a signal handler reads from the interrupted code, on an x86-64 host. */
#ifndef PORT_CONTEXT_H
#define PORT_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

#define PROCESS_GOARCH "amd64"

static inline uintptr_t context_pc(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

static inline uintptr_t context_frame(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RBP];
}

static inline uintptr_t context_sp(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
}

#endif
