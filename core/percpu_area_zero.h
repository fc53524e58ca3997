/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: zeroing on every CPU, and the red zones of debug builds. Outside the lock: the
 * area belongs to one caller by then. Cost: one line a CPU for a small area.
 */
#ifndef CORE_PERCPU_AREA_ZERO_H
#define CORE_PERCPU_AREA_ZERO_H

#include "core/percpu.h"
#include "core/string.h"

/* Stores instead of calls for what counters need; beyond this a call costs less than it saves. */
#define PERCPU_ZERO_INLINE_BYTES 256u

/* Stores of a type: what a builtin becomes is not seen by the instrumentation of the simulated
 * machine and of thread sanitizers (make check refuses it). Areas are aligned to 4 bytes only. */
typedef uint64_t __attribute__((may_alias, aligned(4))) percpu_pair_t;
typedef uint32_t __attribute__((may_alias)) percpu_granule_t;

static always_inline void percpu_zero_each(percpu_area_t area, size_t bytes, uint32_t cpus)
{
    char *copy = percpu_at(area, 0);

    for (uint32_t cpu = 0; cpu < cpus; cpu++, copy += PERCPU_STRIDE_BYTES) {
        size_t i = 0;

        for (; i + 8 <= bytes; i += 8)
            *(percpu_pair_t *)(copy + i) = 0;
        if (bytes & 4)
            *(percpu_granule_t *)(copy + i) = 0;
    }
}

static inline void percpu_zero(percpu_area_t area, size_t bytes, uint32_t cpus)
{
    bytes = ALIGN_UP(bytes, (size_t)4);
    if (likely(bytes == 4))
        percpu_zero_each(area, 4, cpus);
    else if (likely(bytes <= PERCPU_ZERO_INLINE_BYTES))
        percpu_zero_each(area, bytes, cpus);
    else
        for (uint32_t cpu = 0; cpu < cpus; cpu++)
            memset(percpu_at(area, cpu), 0, bytes);
}

#define PERCPU_REDZONE_BYTE 0xb5

/* The bytes from `bytes` to `end` of every copy: what rounding added, and the red zone. */
static inline void percpu_redzone_fill(percpu_area_t area, size_t bytes, size_t end, uint32_t cpus)
{
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        memset(percpu_at(area + bytes, cpu), PERCPU_REDZONE_BYTE, end - bytes);
}

/* NULL, or the complaint when any CPU has written behind its copy. */
static inline const char *percpu_redzone_check(percpu_area_t area, size_t bytes, size_t end,
                                               uint32_t cpus)
{
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        const unsigned char *copy = percpu_at(area, cpu);

        for (size_t i = bytes; i < end; i++)
            if (copy[i] != PERCPU_REDZONE_BYTE)
                return "overrun of an area";
    }
    return NULL;
}

#endif
