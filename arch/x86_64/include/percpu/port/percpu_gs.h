/* SPDX-License-Identifier: Apache-2.0 */
/*
 * this_cpu_* of arch/percpu.h as one gs-relative instruction: the base of GS is this CPU's unit.
 * Also for the hosted port on x86-64 hosts, which sets the base with arch_prctl(2).
 *
 * The operand of each instruction is the word at address `a` within GS. To the compiler it is a
 * plain object at that (otherwise meaningless) address, of unknown provenance and may_alias, so
 * that accesses through percpu_base() pointers stay in order with it; no memory clobber is needed
 * in hot loops.
 *
 * No LOCK prefix: an instruction is whole against an interrupt on its own CPU, which is all that
 * is promised.
 */
#ifndef PORT_PERCPU_GS_H
#define PORT_PERCPU_GS_H

#define PERCPU_GS_OPS(name, type, suffix, reg)                                                     \
    typedef type percpu_gs_##name __attribute__((may_alias));                                      \
                                                                                                   \
    static inline type this_cpu_read_##name(percpu_area_t a)                                       \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        __asm__ volatile("mov" suffix " %%gs:%1, %0"                                               \
                         : "=" reg(value)                                                          \
                         : "m"(*(const percpu_gs_##name *)a));                                     \
        return value;                                                                              \
    }                                                                                              \
                                                                                                   \
    static inline void this_cpu_write_##name(percpu_area_t a, type value)                          \
    {                                                                                              \
        __asm__ volatile("mov" suffix " %1, %%gs:%0"                                               \
                         : "=m"(*(percpu_gs_##name *)a)                                            \
                         : reg "e"(value));                                                        \
    }                                                                                              \
                                                                                                   \
    static inline void this_cpu_add_##name(percpu_area_t a, type amount)                           \
    {                                                                                              \
        __asm__ volatile("add" suffix " %1, %%gs:%0"                                               \
                         : "+m"(*(percpu_gs_##name *)a)                                            \
                         : reg "e"(amount)                                                         \
                         : "cc");                                                                  \
    }                                                                                              \
                                                                                                   \
    static inline bool this_cpu_try_cmpxchg_##name(percpu_area_t a, type *old, type desired)       \
    {                                                                                              \
        bool done;                                                                                 \
                                                                                                   \
        __asm__ volatile("cmpxchg" suffix " %3, %%gs:%1"                                           \
                         : "=@ccz"(done), "+m"(*(percpu_gs_##name *)a), "+a"(*old)                 \
                         : reg(desired)                                                            \
                         : "cc");                                                                  \
        return done;                                                                               \
    }

PERCPU_GS_OPS(s8, int8_t, "b", "q")
PERCPU_GS_OPS(s32, int32_t, "l", "r")
PERCPU_GS_OPS(u64, uint64_t, "q", "r")

#undef PERCPU_GS_OPS

/* The offsets of struct percpu_head. The dependence on memory lets the compiler reuse a value only
 * where nothing was called in between: binding changes it. */
static inline uint32_t this_cpu_id(void)
{
    return (uint32_t)this_cpu_read_s32(8);
}

static inline uintptr_t this_cpu_base(void)
{
    return (uintptr_t)this_cpu_read_u64(0);
}

#endif
