/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C string functions for ports without a C library. Simple loops over words: under an
 * emulator REP MOVSB/STOSB are slow, and on real machines nothing here is in a timed path.
 */
#include "core/string.h"

#include <stdint.h>

#include "core/compiler.h"

/* The compiler would turn these loops into calls of the very functions they are in. */
#define as_written __attribute__((optimize("no-tree-loop-distribute-patterns")))
#ifdef __clang__
#undef as_written
#define as_written __attribute__((no_builtin("memcpy", "memset", "memmove")))
#endif

typedef uint64_t __attribute__((may_alias, aligned(1))) word_any;

as_written void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    char *t = to;
    const char *f = from;

    for (; bytes >= 8; bytes -= 8, t += 8, f += 8)
        *(word_any *)t = *(const word_any *)f;
    while (bytes--)
        *t++ = *f++;
    return to;
}

as_written void *memmove(void *to, const void *from, size_t bytes)
{
    char *t = to;
    const char *f = from;

    if ((uintptr_t)t - (uintptr_t)f >= bytes) {
        while (bytes--)
            *t++ = *f++;
    } else {
        while (bytes--)
            t[bytes] = f[bytes];
    }
    return to;
}

as_written void *memset(void *to, int byte, size_t bytes)
{
    char *t = to;
    uint64_t pattern = 0x0101010101010101ull * (uint8_t)byte;

    for (; bytes >= 32; bytes -= 32, t += 32) {
        ((word_any *)t)[0] = pattern;
        ((word_any *)t)[1] = pattern;
        ((word_any *)t)[2] = pattern;
        ((word_any *)t)[3] = pattern;
    }
    while (bytes--)
        *t++ = (char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *x = a, *y = b;

    for (; bytes; bytes--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

size_t strnlen(const char *text, size_t max)
{
    size_t n = 0;

    while (n < max && text[n])
        n++;
    return n;
}

as_written size_t strlen(const char *text)
{
    return strnlen(text, SIZE_MAX);
}

int strncmp(const char *a, const char *b, size_t max)
{
    for (; max; max--, a++, b++)
        if (*a != *b || !*a)
            return (uint8_t)*a - (uint8_t)*b;
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int c)
{
    for (;; text++) {
        if (*text == (char)c)
            return (char *)text;
        if (!*text)
            return NULL;
    }
}
