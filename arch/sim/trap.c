/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault of the process is a fault of the simulated CPU that runs; it is handled on a signal stack,
 * so that a stack that ran into its guard page can still be reported.
 */
#include <arch/hooks.h>
#include <arch/machine.h>

#include <port/context.h>
#include <signal.h>
#include <string.h>

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
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};

    sigaltstack(&stack, NULL);
    sigfillset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigaction(faults[i], &action, NULL);
}

/* Frame records are {previous frame, return address}, each above the last (System V ABI; AAPCS64
 * 6.4.6), within the stack of the CPU that is looked at. */
unsigned arch_backtrace(uintptr_t frame, uintptr_t *pcs, unsigned max)
{
    const struct sim_cpu *cpu = sim_this;
    unsigned n = 0;

    if (!frame)
        frame = (uintptr_t)__builtin_frame_address(0);
    while (n < max && frame >= cpu->stack_low &&
           frame <= cpu->stack_top - 2 * sizeof(uintptr_t) && frame % sizeof(uintptr_t) == 0) {
        const uintptr_t *record = (const uintptr_t *)frame;

        if (!record[1])
            break;
        pcs[n++] = record[1];
        if (record[0] <= frame)
            break;
        frame = record[0];
    }
    return n;
}
