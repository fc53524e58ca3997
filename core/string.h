/* SPDX-License-Identifier: Apache-2.0 */
/* The standard string functions that the freestanding kernel needs; the same names and meaning as
 * in C11. The hosted port takes the host's. */
#ifndef CORE_STRING_H
#define CORE_STRING_H

#include <stdbool.h>
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t max);
char *strchr(const char *text, int c);

/* Whether the `bytes` at `word`, which need not be terminated, are `text`. */
static inline bool text_is(const char *word, size_t bytes, const char *text)
{
    return strlen(text) == bytes && strncmp(word, text, bytes) == 0;
}

#endif
