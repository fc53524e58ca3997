/* SPDX-License-Identifier: Apache-2.0 */
/* Words that the compiler understands and C11 does not have. */
#ifndef CORE_COMPILER_H
#define CORE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
/* For a path that is rarely taken: not inlined, and called with just its arguments. gcc would also
 * load what the function reads of them at the call, and then in front of the branch to it. */
#if __has_attribute(noipa)
#define apart __attribute__((noipa))
#else
#define apart noinline
#endif
#define must_check __attribute__((warn_unused_result))
#define printf_like(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

/* The line that coherence moves. 64 on every x86-64 and nearly every arm64; what must not share a
 * line is aligned to CACHE_LINE_BYTES, what must not share a prefetched pair to twice that. */
#define CACHE_LINE_BYTES 64u
#define cacheline_aligned __attribute__((aligned(CACHE_LINE_BYTES)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a) (((x) + ((a)-1)) & ~((__typeof__(x))(a)-1))
#define ALIGN_DOWN(x, a) ((x) & ~((__typeof__(x))(a)-1))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* 1 in builds with `make DEBUG=1`: red zones, poison, double-free checks. */
#ifndef CORESTORM_DEBUG
#define CORESTORM_DEBUG 0
#endif

#endif
