/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Broken invariants. panic() stops the other CPUs, prints the reason, the CPU and a symbolised
 * backtrace, ends the report with result=fail and leaves with a failing exit status. A panic in a
 * panic halts. Context: any.
 */
#ifndef CORE_PANIC_H
#define CORE_PANIC_H

#include "core/compiler.h"

_Noreturn void panic(const char *format, ...) printf_like(1, 2);
_Noreturn void panic_at(uintptr_t pc, uintptr_t frame, const char *format, ...) printf_like(3, 4);

/* For invariants (Ix in a file head), always checked. */
#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (unlikely(!(condition)))                                                                \
            panic("%s:%d: invariant broken: %s", __FILE__, __LINE__, #condition);                  \
    } while (0)

/* Prints "#   [n] address symbol+offset" lines. */
void backtrace_print(uintptr_t pc, uintptr_t frame);
void backtrace_print_pcs(const uintptr_t *pcs, unsigned count);

#endif
