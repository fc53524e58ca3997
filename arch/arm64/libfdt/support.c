/* SPDX-License-Identifier: Apache-2.0 */
/* What libfdt's archive wants besides core/string.c: it was compiled for a C library, with stack
 * protection. */
#include <arch/hooks.h>

#include "arch/arm64/libfdt/libfdt_env.h"

extern const uintptr_t __stack_chk_guard;
const uintptr_t __stack_chk_guard = 0x00dec0ded15ea5e0;
_Noreturn void __stack_chk_fail(void);

_Noreturn void __stack_chk_fail(void)
{
    hook_panic("libfdt wrote beyond one of its arrays on the stack");
}

void *memchr(const void *memory, int byte, size_t bytes)
{
    const unsigned char *at = memory;

    for (size_t i = 0; i < bytes; i++)
        if (at[i] == (unsigned char)byte)
            return (void *)(uintptr_t)&at[i];
    return NULL;
}

char *strrchr(const char *text, int c)
{
    const char *found = NULL;

    do {
        if (*text == (char)c)
            found = text;
    } while (*text++);
    return (char *)(uintptr_t)found;
}
