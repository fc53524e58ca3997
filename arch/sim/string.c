/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcpy and the like of the tested code, which the build redirects here (arch/sim/port.mk): the
 * simulator sees the ranges, then the host's function does the work. Ranges are reported whole
 * before they are touched: another CPU may run in between, as it may between any two accesses.
 */
#include <stddef.h>
#include <string.h>

#include "arch/sim/backend.h"

void __tsan_read_range(void *address, uintptr_t bytes);
void __tsan_write_range(void *address, uintptr_t bytes);

void *sim_memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *sim_memmove(void *to, const void *from, size_t bytes);
void *sim_memset(void *to, int byte, size_t bytes);
int sim_memcmp(const void *a, const void *b, size_t bytes);

void *sim_memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    __tsan_read_range((void *)(uintptr_t)from, bytes);
    __tsan_write_range(to, bytes);
    return memcpy(to, from, bytes);
}

void *sim_memmove(void *to, const void *from, size_t bytes)
{
    __tsan_read_range((void *)(uintptr_t)from, bytes);
    __tsan_write_range(to, bytes);
    return memmove(to, from, bytes);
}

void *sim_memset(void *to, int byte, size_t bytes)
{
    __tsan_write_range(to, bytes);
    return memset(to, byte, bytes);
}

int sim_memcmp(const void *a, const void *b, size_t bytes)
{
    __tsan_read_range((void *)(uintptr_t)a, bytes);
    __tsan_read_range((void *)(uintptr_t)b, bytes);
    return memcmp(a, b, bytes);
}
