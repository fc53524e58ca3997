/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault of the process is a fault of the simulated CPU that runs; it is handled on a signal
 * stack, so that a stack that ran into its guard page can still be reported.
 */
#include <arch/hooks.h>
#include <arch/machine.h>

#include <port/context.h>
#include <signal.h>
#include <string.h>

#include "arch/process/process.h"
#include "arch/sim/sim.h"

static char signal_stack[128u << 10];

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;

    hook_exception_line("signal %d (%s), code %d, address %p", signal, strsignal(signal),
                        info->si_code, info->si_addr);
    hook_exception_line("pc %#lx  frame %#lx  CPU %u", (unsigned long)context_pc(uc),
                        (unsigned long)context_frame(uc), sim_this->id);
    hook_exception_end(strsignal(signal), context_pc(uc), context_frame(uc));
}

void sim_traps_init(void)
{
    const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};

    sigaltstack(&stack, NULL);
    process_on_faults(on_fault);
}

/* On the stack of the CPU that is looked at. */
unsigned arch_backtrace(uintptr_t frame, uintptr_t *pcs, unsigned max)
{
    if (!frame)
        frame = (uintptr_t)__builtin_frame_address(0);
    return process_backtrace(frame, sim_this->stack_low, sim_this->stack_top, pcs, max);
}
