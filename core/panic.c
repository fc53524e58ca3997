/* SPDX-License-Identifier: Apache-2.0 */
/* The end for broken invariants: says who, where and why, and leaves with a failing verdict. */
#include "core/panic.h"

#include <stdatomic.h>

#include <arch/hooks.h>
#include <arch/irq.h>
#include <arch/machine.h>
#include <arch/smp.h>

#include "core/format.h"
#include "core/log.h"
#include "core/power.h"
#include "core/symbols.h"

#define BACKTRACE_MAX 24u

#define NOBODY UINT64_MAX

static _Atomic uint64_t panicking = NOBODY; /* hardware id */
static unsigned depth;

void backtrace_print_pcs(const uintptr_t *pcs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uintptr_t offset = 0;
        const char *name = symbol_lookup(pcs[i], &offset);

        log_line("  [%2u] %p %s+%#lx", i, (void *)pcs[i], name ? name : "?", offset);
    }
}

void backtrace_print(uintptr_t pc, uintptr_t frame)
{
    uintptr_t pcs[BACKTRACE_MAX];
    unsigned count = 0;

    if (pc)
        pcs[count++] = pc;
    count += arch_backtrace(frame, pcs + count, BACKTRACE_MAX - count);
    backtrace_print_pcs(pcs, count);
}

/* The first CPU to get here goes on and stops the others; a second CPU halts. Harmless when the CPU
 * is in here already. */
static void panic_enter(void)
{
    uint64_t nobody = NOBODY, me = arch_cpu_hw_id();

    irq_save();
    if (atomic_compare_exchange_strong_explicit(&panicking, &nobody, me, memory_order_acq_rel,
                                                memory_order_acquire)) {
        arch_cpus_stop_others();
        log_break_lock();
    } else if (nobody != me) {
        arch_halt();
    }
}

static _Noreturn void panic_finish(const char *text, uintptr_t pc, uintptr_t frame)
{
    if (depth++ > 0) {
        if (depth == 2)
            power_off(false);
        arch_halt();
    }
    report_fail("panic on hardware CPU %llu: %s", (unsigned long long)arch_cpu_hw_id(), text);
    backtrace_print(pc, frame);
    report_end(false);
    power_off(false);
}

static _Noreturn void panic_v(uintptr_t pc, uintptr_t frame, const char *format, va_list args)
{
    char text[300];

    panic_enter();
    format_text_v(text, sizeof(text), format, args);
    panic_finish(text, pc, frame);
}

void panic(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    panic_v(0, 0, format, args);
}

void panic_at(uintptr_t pc, uintptr_t frame, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    panic_v(pc, frame, format, args);
}

void hook_panic(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    panic_v(0, 0, format, args);
}

/* The registers of an exception are printed before the panic proper. */
void hook_exception_line(const char *format, ...)
{
    static bool printing; /* only the CPU that panics gets past panic_enter() */
    char text[160];
    va_list args;

    panic_enter();
    if (printing)
        power_off(false); /* a fault while a fault is printed would go round for ever */
    printing = true;
    va_start(args, format);
    format_text_v(text, sizeof(text), format, args);
    va_end(args);
    log_line("%s", text);
    printing = false;
}

void hook_exception_end(const char *what, uintptr_t pc, uintptr_t frame)
{
    panic_at(pc, frame, "%s", what);
}
