/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a process, and a look at its stacks. See arch/process/process.h. */
#include "arch/process/process.h"

/* A fault inside the handler takes the default way out: the process dies by the signal. */
void process_on_faults(void (*handler)(int signal, siginfo_t *info, void *context))
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    struct sigaction action = {.sa_sigaction = handler,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};

    sigfillset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigaction(faults[i], &action, NULL);
}

/* Frame records are {previous frame, return address} (System V ABI; AAPCS64 6.4.6), each above the
 * last. Not instrumented: it reads between a stack's variables. */
__attribute__((no_sanitize_address, no_sanitize_thread)) unsigned process_backtrace(
    uintptr_t frame, uintptr_t low, uintptr_t top, uintptr_t *pcs, unsigned max)
{
    unsigned n = 0;

    while (n < max && frame >= low && frame <= top - 2 * sizeof(uintptr_t) &&
           frame % sizeof(uintptr_t) == 0) {
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
