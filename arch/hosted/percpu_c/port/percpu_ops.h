/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit of this thread's CPU in plain C: for sanitizers, which must see every access, and for
 * hosts without gs. Nothing interrupts a CPU here, so load and store need not be one instruction;
 * relaxed atomics, since other CPUs may read.
 */
#ifndef PORT_PERCPU_OPS_H
#define PORT_PERCPU_OPS_H

extern __thread uintptr_t hosted_cpu_base;

static inline uintptr_t this_cpu_base(void)
{
    return hosted_cpu_base;
}

static inline uint32_t this_cpu_id(void)
{
    return ((const struct percpu_head *)hosted_cpu_base)->cpu_id;
}

static inline void hosted_set_cpu_base(uintptr_t base)
{
    hosted_cpu_base = base;
}

#define HOSTED_PERCPU_OPS(T, type)                                                                 \
    static inline type this_cpu_read_##T(percpu_area_t a)                                          \
    {                                                                                              \
        return __atomic_load_n((type *)(hosted_cpu_base + a), __ATOMIC_RELAXED);                   \
    }                                                                                              \
    static inline void this_cpu_write_##T(percpu_area_t a, type value)                             \
    {                                                                                              \
        __atomic_store_n((type *)(hosted_cpu_base + a), value, __ATOMIC_RELAXED);                  \
    }                                                                                              \
    static inline void this_cpu_add_##T(percpu_area_t a, type amount)                              \
    {                                                                                              \
        type sum;                                                                                  \
                                                                                                   \
        (void)__builtin_add_overflow(this_cpu_read_##T(a), amount, &sum); /* wraps */              \
        this_cpu_write_##T(a, sum);                                                                \
    }                                                                                              \
    static inline bool this_cpu_try_cmpxchg_##T(percpu_area_t a, type *old, type desired)          \
    {                                                                                              \
        type now = this_cpu_read_##T(a);                                                           \
                                                                                                   \
        if (now != *old) {                                                                         \
            *old = now;                                                                            \
            return false;                                                                          \
        }                                                                                          \
        this_cpu_write_##T(a, desired);                                                            \
        return true;                                                                               \
    }

HOSTED_PERCPU_OPS(s8, int8_t)
HOSTED_PERCPU_OPS(s32, int32_t)
HOSTED_PERCPU_OPS(u64, uint64_t)

#endif
