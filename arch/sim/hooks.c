/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the compiler calls at each plain access of the tested code (the interface of its thread
 * sanitizer: gcc, gcc/sanitizer.def; LLVM, compiler-rt/lib/tsan/rtl/tsan_interface.h). Accesses
 * outside of the modelled range cost a comparison.
 *
 * A volatile access is an atomic's in all but name; the backend is told.
 */
#include "arch/sim/backend.h"

/* The compiler declares these itself and nobody else calls them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
    (void)pc;
}

void __tsan_func_exit(void)
{
}

static inline void plain(const volatile void *address, uint32_t bytes, bool write, bool is_volatile)
{
    if (sim_is_modelled((uintptr_t)address))
        sim_backend->plain((uintptr_t)address, bytes, write, is_volatile);
}

#define PLAIN_HOOKS(bytes)                                                                         \
    void __tsan_read##bytes(void *address)                                                         \
    {                                                                                              \
        plain(address, bytes, false, false);                                                       \
    }                                                                                              \
    void __tsan_write##bytes(void *address)                                                        \
    {                                                                                              \
        plain(address, bytes, true, false);                                                        \
    }                                                                                              \
    void __tsan_read_write##bytes(void *address)                                                   \
    {                                                                                              \
        plain(address, bytes, false, false);                                                       \
        plain(address, bytes, true, false);                                                        \
    }                                                                                              \
    void __tsan_volatile_read##bytes(void *address)                                                \
    {                                                                                              \
        plain(address, bytes, false, true);                                                        \
    }                                                                                              \
    void __tsan_volatile_write##bytes(void *address)                                               \
    {                                                                                              \
        plain(address, bytes, true, true);                                                         \
    }

#define UNALIGNED_HOOKS(bytes)                                                                     \
    void __tsan_unaligned_read##bytes(void *address)                                               \
    {                                                                                              \
        plain(address, bytes, false, false);                                                       \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *address)                                              \
    {                                                                                              \
        plain(address, bytes, true, false);                                                        \
    }                                                                                              \
    void __tsan_unaligned_read_write##bytes(void *address)                                         \
    {                                                                                              \
        plain(address, bytes, false, false);                                                       \
        plain(address, bytes, true, false);                                                        \
    }                                                                                              \
    void __tsan_unaligned_volatile_read##bytes(void *address)                                      \
    {                                                                                              \
        plain(address, bytes, false, true);                                                        \
    }                                                                                              \
    void __tsan_unaligned_volatile_write##bytes(void *address)                                     \
    {                                                                                              \
        plain(address, bytes, true, true);                                                         \
    }

PLAIN_HOOKS(1)
PLAIN_HOOKS(2)
PLAIN_HOOKS(4)
PLAIN_HOOKS(8)
PLAIN_HOOKS(16)
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
UNALIGNED_HOOKS(16)

/* B5 of backend.h: a line at a time. */
static void range(uintptr_t address, uintptr_t bytes, bool write)
{
    const uintptr_t line = 1ul << SIM_LINE_SHIFT;
    uintptr_t end = address + bytes;

    if (!sim_is_modelled(address))
        return;
    while (address < end) {
        uintptr_t next = (address | (line - 1)) + 1;
        uintptr_t stop = next < end ? next : end;

        if (sim_backend->range)
            sim_backend->range(address, (uint32_t)(stop - address), write);
        else
            sim_backend->plain(address, (uint32_t)(stop - address), write, false);
        address = stop;
    }
}

void __tsan_read_range(void *address, uintptr_t bytes)
{
    range((uintptr_t)address, bytes, false);
}

void __tsan_write_range(void *address, uintptr_t bytes)
{
    range((uintptr_t)address, bytes, true);
}
