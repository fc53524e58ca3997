/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas of the simulated machine: one region at a fixed address. The operations are the
 * simulator's (arch/sim/percpu.c), since inline assembler would be invisible to it.
 */
#ifndef PORT_PERCPU_H
#define PORT_PERCPU_H

#include <port/layout.h>
#include <port/percpu_static.h>

/* A page more than a power of two, as on bare metal. Smaller than there: 4096 of them are there. */
#define PERCPU_STRIDE_BYTES ((16ul << 20) + 4096)

static inline uintptr_t percpu_base(uint32_t cpu)
{
    return SIM_PERCPU + cpu * PERCPU_STRIDE_BYTES;
}

uint32_t this_cpu_id(void);
uintptr_t this_cpu_base(void);

int8_t this_cpu_read_s8(percpu_area_t a);
void this_cpu_write_s8(percpu_area_t a, int8_t value);
void this_cpu_add_s8(percpu_area_t a, int8_t amount);
bool this_cpu_try_cmpxchg_s8(percpu_area_t a, int8_t *old, int8_t desired);
int32_t this_cpu_read_s32(percpu_area_t a);
void this_cpu_write_s32(percpu_area_t a, int32_t value);
void this_cpu_add_s32(percpu_area_t a, int32_t amount);
bool this_cpu_try_cmpxchg_s32(percpu_area_t a, int32_t *old, int32_t desired);
uint64_t this_cpu_read_u64(percpu_area_t a);
void this_cpu_write_u64(percpu_area_t a, uint64_t value);
void this_cpu_add_u64(percpu_area_t a, uint64_t amount);
bool this_cpu_try_cmpxchg_u64(percpu_area_t a, uint64_t *old, uint64_t desired);

#endif
