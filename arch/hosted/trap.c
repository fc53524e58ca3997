/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults, probes and stops arrive as signals; each thread has its own signal stack, so that a
 * stack that ran into its guard page can still be reported. Backtraces walk frame pointers within
 * the bounds of the thread's own stack.
 */
#include <arch/hooks.h>
#include <arch/machine.h>

#include <errno.h>
#include <port/context.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arch/hosted/hosted.h"
#include "arch/process/process.h"

#define SIGNAL_STACK_BYTES (128ul << 10)

static __thread uintptr_t stack_low, stack_top;
static _Atomic uint32_t stopped;

uint32_t hosted_traps_stopped(void)
{
    return atomic_load_explicit(&stopped, memory_order_acquire);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;

    hook_exception_line("signal %d (%s), code %d, address %p", signal, strsignal(signal),
                        info->si_code, info->si_addr);
    hook_exception_line("pc %#lx  sp %#lx  frame %#lx  thread %u", (unsigned long)context_pc(uc),
                        (unsigned long)context_sp(uc), (unsigned long)context_frame(uc),
                        hosted_hw_id);
    hook_exception_end(strsignal(signal), context_pc(uc), context_frame(uc));
}

static void on_probe(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    int error = errno;

    (void)signal;
    (void)info;
    hook_cpu_probe(context_pc(uc), context_frame(uc));
    errno = error;
}

static void on_stop(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    (void)context;
    atomic_fetch_add_explicit(&stopped, 1, memory_order_release);
    for (;;)
        pause();
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

    sigfillset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void hosted_traps_thread_init(uintptr_t low, uintptr_t top)
{
    stack_t stack = {.ss_size = SIGNAL_STACK_BYTES};

    stack_low = low;
    stack_top = top;
    stack.ss_sp = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack.ss_sp != MAP_FAILED)
        sigaltstack(&stack, NULL);
}

void hosted_traps_init(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct rlimit limit;

    /* Frames above this one belong to main and the C library's start: enough to be told. */
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        limit.rlim_cur = 8ul << 20;
    hosted_traps_thread_init(here - limit.rlim_cur, here + 256);
    process_on_faults(on_fault);
    handle(HOSTED_SIGNAL_PROBE, on_probe, SA_ONSTACK | SA_RESTART);
    handle(HOSTED_SIGNAL_STOP, on_stop, SA_ONSTACK);
}

unsigned arch_backtrace(uintptr_t frame, uintptr_t *pcs, unsigned max)
{
    if (!frame)
        frame = (uintptr_t)__builtin_frame_address(0);
    return process_backtrace(frame, stack_low, stack_top, pcs, max);
}
