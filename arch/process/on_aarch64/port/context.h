/* SPDX-License-Identifier: Apache-2.0 */
/* What a signal handler reads from the interrupted code, on an arm64 host. */
#ifndef PORT_CONTEXT_H
#define PORT_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

#define PROCESS_GOARCH "arm64"

static inline uintptr_t context_pc(const ucontext_t *uc)
{
    return uc->uc_mcontext.pc;
}

static inline uintptr_t context_frame(const ucontext_t *uc)
{
    return uc->uc_mcontext.regs[29];
}

static inline uintptr_t context_sp(const ucontext_t *uc)
{
    return uc->uc_mcontext.sp;
}

#endif
