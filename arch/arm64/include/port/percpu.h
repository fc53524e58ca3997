/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch/percpu.h on arm64: units at PERCPU_BASE, TPIDR_EL1 points to this CPU's.
 *
 * The image holds two kernels, of the same sources: one with LSE atomics, one with LL/SC loops
 * (arch/arm64/port.mk); entry code starts the one that fits the processor. So both are straight
 * code, here and in everything that C11 atomics become, and nothing is decided or patched later.
 *
 * No operation here orders anything: it is whole against an interrupt on its own CPU, which is all
 * that is promised. The LSE form of an add is LDADD with a register that nobody reads, not STADD:
 * a store form may be carried out far from the core, at the last-level cache, for a line that the
 * core ought to own.
 *
 * The static section is linked at PERCPU_HEAD_BYTES (linker.ld), so that a static variable's
 * "address" is its area. Before arch_cpu_bind_boot() the boot CPU runs on a unit of its own in the
 * image (percpu_boot_unit): this_cpu_* works from the first C function on, percpu_base() does not,
 * and what was written there does not survive the binding.
 */
#ifndef PORT_PERCPU_H
#define PORT_PERCPU_H

#include <port/layout.h>

#define PERCPU_STRIDE_BYTES ((uintptr_t)PERCPU_STRIDE)

#define PERCPU_STATIC __attribute__((section(".percpu")))

/* One MOVZ where `variable` is a whole static one: its offset fits into 16 bits, which the linker
 * checks. */
#define percpu_area_of(variable)                                                                   \
    __extension__({                                                                                \
        percpu_area_t area_;                                                                       \
        __asm__("movz %0, #:abs_g0:%c1" : "=r"(area_) : "i"(&(variable)));                          \
        area_;                                                                                     \
    })

static inline uintptr_t percpu_base(uint32_t cpu)
{
    return PERCPU_BASE + cpu * PERCPU_STRIDE_BYTES;
}

extern const char percpu_image_start[];
extern const char percpu_static_end[]; /* linked at the offset behind the last variable */

static inline uintptr_t percpu_static_bytes(void)
{
    return (uintptr_t)percpu_static_end;
}

register uintptr_t percpu_stack_pointer __asm__("sp");

/* The dependence on memory, of the stack since that costs no register, lets the compiler reuse a
 * value only where nothing was called in between: binding changes it. */
static inline uintptr_t this_cpu_base(void)
{
    uintptr_t base;

    __asm__("mrs %0, tpidr_el1" : "=r"(base) : "Q"(*(const uintptr_t *)percpu_stack_pointer));
    return base;
}

#ifdef __ARM_FEATURE_ATOMICS

#define PERCPU_ADD(s, r, at, value, lost, amount)                                                  \
    __asm__ volatile("ldadd" s " %" r "2, %" r "0, %1" : "=r"(value), "+Q"(*(at)) : "r"(amount))

#define PERCPU_CMPXCHG(s, r, at, value, lost, expected, desired)                                   \
    __asm__ volatile("cas" s " %" r "0, %" r "2, %1"                                               \
                     : "=r"(value), "+Q"(*(at))                                                    \
                     : "r"(desired), "0"(expected))

#else

#define PERCPU_ADD(s, r, at, value, lost, amount)                                                  \
    __asm__ volatile("1:\n\t"                                                                      \
                     "ldxr" s " %" r "0, %2\n\t"                                                   \
                     "add %" r "0, %" r "0, %" r "3\n\t"                                           \
                     "stxr" s " %w1, %" r "0, %2\n\t"                                              \
                     "cbnz %w1, 1b"                                                                \
                     : "=&r"(value), "=&r"(lost), "+Q"(*(at))                                      \
                     : "r"(amount))

#define PERCPU_CMPXCHG(s, r, at, value, lost, expected, desired)                                   \
    __asm__ volatile("1:\n\t"                                                                      \
                     "ldxr" s " %" r "0, %2\n\t"                                                   \
                     "cmp %" r "0, %" r "3\n\t"                                                    \
                     "b.ne 2f\n\t"                                                                \
                     "stxr" s " %w1, %" r "4, %2\n\t"                                              \
                     "cbnz %w1, 1b\n"                                                              \
                     "2:"                                                                          \
                     : "=&r"(value), "=&r"(lost), "+Q"(*(at))                                      \
                     : "r"(expected), "r"(desired)                                                 \
                     : "cc")

#endif

/* type: of the word; held: the same as a register holds it after a load, which zero-extends; s:
 * suffix of the instructions; r: W or X registers. */
#define PERCPU_OPS(name, type, held, s, r)                                                         \
    typedef type percpu_##name __attribute__((may_alias));                                         \
                                                                                                   \
    static inline type this_cpu_read_##name(percpu_area_t a)                                       \
    {                                                                                              \
        return *(const volatile percpu_##name *)(this_cpu_base() + a);                             \
    }                                                                                              \
                                                                                                   \
    static inline void this_cpu_write_##name(percpu_area_t a, type value)                          \
    {                                                                                              \
        *(volatile percpu_##name *)(this_cpu_base() + a) = value;                                  \
    }                                                                                              \
                                                                                                   \
    static inline void this_cpu_add_##name(percpu_area_t a, type amount)                           \
    {                                                                                              \
        percpu_##name *at = (percpu_##name *)(this_cpu_base() + a);                                \
        held value;                                                                                \
        uint32_t lost;                                                                             \
                                                                                                   \
        (void)lost;                                                                                \
        PERCPU_ADD(s, r, at, value, lost, amount);                                                 \
    }                                                                                              \
                                                                                                   \
    static inline bool this_cpu_try_cmpxchg_##name(percpu_area_t a, type *old, type desired)       \
    {                                                                                              \
        percpu_##name *at = (percpu_##name *)(this_cpu_base() + a);                                \
        const held expected = sizeof(type) == 1 ? (uint8_t)*old : (held)*old;                      \
        held value;                                                                                \
        uint32_t lost;                                                                             \
                                                                                                   \
        (void)lost;                                                                                \
        PERCPU_CMPXCHG(s, r, at, value, lost, expected, desired);                                  \
        *old = (type)value;                                                                        \
        return value == expected;                                                                  \
    }

PERCPU_OPS(s8, int8_t, uint32_t, "b", "w")
PERCPU_OPS(s32, int32_t, uint32_t, "", "w")
PERCPU_OPS(u64, uint64_t, uint64_t, "", "x")

#undef PERCPU_OPS
#undef PERCPU_ADD
#undef PERCPU_CMPXCHG

/* The offset in struct percpu_head. */
static inline uint32_t this_cpu_id(void)
{
    return (uint32_t)this_cpu_read_s32(8);
}

#endif
