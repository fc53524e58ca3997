/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the headers of libfdt (the distribution's package) need of their surroundings, in place of
 * the package's own file, which wants a C library: big-endian types and a few string functions.
 */
#ifndef LIBFDT_ENV_H
#define LIBFDT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t fdt16_t;
typedef uint32_t fdt32_t;
typedef uint64_t fdt64_t;

#define fdt16_to_cpu(x) __builtin_bswap16(x)
#define fdt32_to_cpu(x) __builtin_bswap32(x)
#define fdt64_to_cpu(x) __builtin_bswap64(x)
#define cpu_to_fdt16(x) __builtin_bswap16(x)
#define cpu_to_fdt32(x) __builtin_bswap32(x)
#define cpu_to_fdt64(x) __builtin_bswap64(x)

/* core/string.c */
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t max);
char *strchr(const char *text, int c);

/* arch/arm64/libfdt/support.c */
void *memchr(const void *memory, int byte, size_t bytes);
char *strrchr(const char *text, int c);

#endif
