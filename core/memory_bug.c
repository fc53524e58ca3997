/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the misuse of an allocator (memory_bug.h). */
#include "core/memory_bug.h"

#include <stdatomic.h>

#include "core/log.h"
#include "core/panic.h"

/* Enough to find the culprit; a loop of bad frees must not fill the report. */
#define MEMORY_BUG_WARNINGS 8u

void (*memory_bug_hook)(const char *allocator, const char *what, uintptr_t where);

static _Atomic uint32_t memory_bug_count;

noinline void memory_bug(const char *allocator, const char *what, uintptr_t where)
{
    if (memory_bug_hook) {
        memory_bug_hook(allocator, what, where);
        return;
    }
    if (CORESTORM_DEBUG)
        panic("%s: %s: 0x%lx", allocator, what, (unsigned long)where);
    if (atomic_fetch_add_explicit(&memory_bug_count, 1, memory_order_relaxed) < MEMORY_BUG_WARNINGS)
        log_warn("%s: %s: 0x%lx", allocator, what, (unsigned long)where);
}
