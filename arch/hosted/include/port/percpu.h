/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas of the process: one reserved region, a stride for each CPU; pages appear in it
 * by arch_map(). How a thread finds its own unit is <port/percpu_ops.h>, which the build picks: a
 * gs-relative instruction, or plain C (arch/hosted/port.mk).
 */
#ifndef PORT_PERCPU_H
#define PORT_PERCPU_H

/* A page more than 64 MiB, as on bare metal: the same area of neighbouring CPUs then falls into
 * different sets of caches and TLB. */
#define PERCPU_STRIDE_BYTES ((64ul << 20) + 4096)

/* The image of the static variables is their section as the linker left it. Its offset in a unit is
 * a multiple of every alignment that a static per-CPU variable may have. */
#define PERCPU_STATIC __attribute__((section("percpu_static")))
#define PERCPU_STATIC_OFFSET 256u
extern const char __start_percpu_static[], __stop_percpu_static[];
#define percpu_image_start __start_percpu_static

static inline size_t percpu_static_bytes(void)
{
    return (size_t)(__stop_percpu_static - __start_percpu_static);
}

#define percpu_area_of(variable)                                                                   \
    ((percpu_area_t)((uintptr_t) & (variable) - (uintptr_t)__start_percpu_static +                 \
                     PERCPU_STATIC_OFFSET))

/* Set before kernel_main. */
extern uintptr_t hosted_percpu_region;

static inline uintptr_t percpu_base(uint32_t cpu)
{
    return hosted_percpu_region + cpu * PERCPU_STRIDE_BYTES;
}

#include <port/percpu_ops.h>

#endif
