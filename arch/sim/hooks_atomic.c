/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the compiler calls in place of each atomic operation of the tested code, in gcc's names and
 * in clang's (compare_exchange_val). The backend makes the access (B3 of backend.h); what lies
 * outside of the modelled range is made at once.
 */
#include "arch/sim/backend.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

uint64_t sim_do_load(uintptr_t address, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n((uint8_t *)address, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((uint16_t *)address, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((uint32_t *)address, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((uint64_t *)address, __ATOMIC_RELAXED);
    }
}

void sim_do_store(uintptr_t address, uint32_t bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        __atomic_store_n((uint8_t *)address, (uint8_t)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)address, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)address, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELAXED);
    }
}

static uint64_t combine(uint64_t old, enum sim_rmw op, uint64_t operand)
{
    switch (op) {
    case SIM_EXCHANGE:
        return operand;
    case SIM_ADD:
        return old + operand;
    case SIM_SUB:
        return old - operand;
    case SIM_AND:
        return old & operand;
    case SIM_OR:
        return old | operand;
    case SIM_XOR:
        return old ^ operand;
    case SIM_NAND:
        return ~(old & operand);
    }
    return old;
}

/* One host thread: read, then write, is atomic. */
uint64_t sim_do_rmw(uintptr_t address, uint32_t bytes, enum sim_rmw op, uint64_t operand)
{
    uint64_t old = sim_do_load(address, bytes);

    sim_do_store(address, bytes, combine(old, op, operand));
    return old;
}

static uint64_t low_bytes(uint64_t value, uint32_t bytes)
{
    return bytes == 8 ? value : value & ((1ull << 8 * bytes) - 1);
}

bool sim_do_cas(uintptr_t address, uint32_t bytes, uint64_t *expected, uint64_t desired)
{
    uint64_t old = sim_do_load(address, bytes);

    if (old != low_bytes(*expected, bytes)) {
        *expected = old;
        return false;
    }
    sim_do_store(address, bytes, desired);
    return true;
}

static inline uint64_t load(const volatile void *a, uint32_t bytes, int order)
{
    return sim_is_modelled((uintptr_t)a) ? sim_backend->load((uintptr_t)a, bytes, order)
                                         : sim_do_load((uintptr_t)a, bytes);
}

static inline void store(volatile void *a, uint32_t bytes, uint64_t value, int order)
{
    if (sim_is_modelled((uintptr_t)a))
        sim_backend->store((uintptr_t)a, bytes, value, order);
    else
        sim_do_store((uintptr_t)a, bytes, value);
}

static inline uint64_t rmw(volatile void *a, uint32_t bytes, enum sim_rmw op, uint64_t operand,
                           int order)
{
    return sim_is_modelled((uintptr_t)a)
               ? sim_backend->rmw((uintptr_t)a, bytes, op, operand, order)
               : sim_do_rmw((uintptr_t)a, bytes, op, operand);
}

static inline bool cas(volatile void *a, uint32_t bytes, uint64_t *expected, uint64_t desired,
                       int order, int fail_order, bool weak)
{
    return sim_is_modelled((uintptr_t)a)
               ? sim_backend->cas((uintptr_t)a, bytes, expected, desired, order, fail_order, weak)
               : sim_do_cas((uintptr_t)a, bytes, expected, desired);
}

#define RMW_HOOK(bits, type, name, op)                                                             \
    type __tsan_atomic##bits##_##name(volatile type *a, type operand, int order)                   \
    {                                                                                              \
        return (type)rmw(a, bits / 8, op, operand, order);                                         \
    }

#define CAS_HOOK(bits, type, name, weak)                                                           \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *a, type *expected,            \
                                                      type desired, int order, int fail_order)     \
    {                                                                                              \
        uint64_t old = *expected;                                                                  \
        bool done = cas(a, bits / 8, &old, desired, order, fail_order, weak);                      \
                                                                                                   \
        *expected = (type)old;                                                                     \
        return done;                                                                               \
    }

#define ATOMIC_HOOKS(bits, type)                                                                   \
    type __tsan_atomic##bits##_load(const volatile type *a, int order)                             \
    {                                                                                              \
        return (type)load(a, bits / 8, order);                                                     \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order)                      \
    {                                                                                              \
        store(a, bits / 8, value, order);                                                          \
    }                                                                                              \
    RMW_HOOK(bits, type, exchange, SIM_EXCHANGE)                                                   \
    RMW_HOOK(bits, type, fetch_add, SIM_ADD)                                                       \
    RMW_HOOK(bits, type, fetch_sub, SIM_SUB)                                                       \
    RMW_HOOK(bits, type, fetch_and, SIM_AND)                                                       \
    RMW_HOOK(bits, type, fetch_or, SIM_OR)                                                         \
    RMW_HOOK(bits, type, fetch_xor, SIM_XOR)                                                       \
    RMW_HOOK(bits, type, fetch_nand, SIM_NAND)                                                     \
    CAS_HOOK(bits, type, strong, false)                                                            \
    CAS_HOOK(bits, type, weak, true)                                                               \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type desired, \
                                                    int order, int fail_order)                     \
    {                                                                                              \
        uint64_t old = expected;                                                                   \
                                                                                                   \
        (void)cas(a, bits / 8, &old, desired, order, fail_order, false);                           \
        return (type)old;                                                                          \
    }

ATOMIC_HOOKS(8, uint8_t)
ATOMIC_HOOKS(16, uint16_t)
ATOMIC_HOOKS(32, uint32_t)
ATOMIC_HOOKS(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    sim_backend->fence(order);
}

/* Orders a CPU against its own interrupts: there are none. */
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
