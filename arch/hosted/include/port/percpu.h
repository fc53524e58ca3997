/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas of the process: one reserved region, a stride for each CPU; pages appear in it
 * by arch_map(). How a thread finds its own unit is <port/percpu_ops.h>, which the build picks: a
 * gs-relative instruction, or plain C (arch/hosted/port.mk).
 */
#ifndef PORT_PERCPU_H
#define PORT_PERCPU_H

#include <port/percpu_static.h>

/* A page more than 64 MiB, as on bare metal: the same area of neighbouring CPUs then falls into
 * different sets of caches and TLB. */
#define PERCPU_STRIDE_BYTES ((64ul << 20) + 4096)

/* Set before kernel_main. */
extern uintptr_t hosted_percpu_region;

static inline uintptr_t percpu_base(uint32_t cpu)
{
    return hosted_percpu_region + cpu * PERCPU_STRIDE_BYTES;
}

#include <port/percpu_ops.h>

#endif
