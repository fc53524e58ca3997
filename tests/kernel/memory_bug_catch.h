/* SPDX-License-Identifier: Apache-2.0 */
/* Catches what the allocators complain about, for tests that provoke it. */
#ifndef TESTS_MEMORY_BUG_CATCH_H
#define TESTS_MEMORY_BUG_CATCH_H

#include "core/memory_bug.h"

static unsigned bugs_caught;
static const char *bug_caught;

static void catch_bug(const char *allocator, const char *what, uintptr_t where)
{
    bugs_caught++;
    bug_caught = what;
}

static inline void bugs_catch(void)
{
    bugs_caught = 0;
    bug_caught = "";
    memory_bug_hook = catch_bug;
}

/* How many there were. */
static inline unsigned bugs_release(void)
{
    memory_bug_hook = NULL;
    return bugs_caught;
}

#endif
