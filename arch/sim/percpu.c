/* SPDX-License-Identifier: Apache-2.0 */
/* this_cpu_* of the simulated machine: the backend makes the access (B4 of backend.h). */
#include <arch/percpu.h>

#include "arch/sim/backend.h"

uint32_t this_cpu_id(void)
{
    return sim_this->id;
}

uintptr_t this_cpu_base(void)
{
    return sim_this->base;
}

#define SIM_PERCPU_OPS(T, type)                                                                    \
    type this_cpu_read_##T(percpu_area_t a)                                                        \
    {                                                                                              \
        return (type)sim_backend->percpu_load(sim_this->base + a, sizeof(type));                   \
    }                                                                                              \
    void this_cpu_write_##T(percpu_area_t a, type value)                                           \
    {                                                                                              \
        sim_backend->percpu_store(sim_this->base + a, sizeof(type), (uint64_t)value);              \
    }                                                                                              \
    void this_cpu_add_##T(percpu_area_t a, type amount)                                            \
    {                                                                                              \
        sim_backend->percpu_add(sim_this->base + a, sizeof(type), (uint64_t)amount);               \
    }                                                                                              \
    bool this_cpu_try_cmpxchg_##T(percpu_area_t a, type *old, type desired)                        \
    {                                                                                              \
        uint64_t expected = (uint64_t)*old;                                                        \
        bool done = sim_backend->percpu_cas(sim_this->base + a, sizeof(type), &expected,           \
                                            (uint64_t)desired);                                    \
                                                                                                   \
        if (!done)                                                                                 \
            *old = (type)expected;                                                                 \
        return done;                                                                               \
    }

SIM_PERCPU_OPS(s8, int8_t)
SIM_PERCPU_OPS(s32, int32_t)
SIM_PERCPU_OPS(u64, uint64_t)
