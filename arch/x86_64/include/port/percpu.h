/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch/percpu.h on x86-64: units at PERCPU_BASE, GS points to this CPU's.
 *
 * The static section is linked at PERCPU_HEAD_BYTES (linker.ld), so that a static variable's
 * "address" is its area. Before arch_cpu_bind_boot() the boot CPU runs on a unit of its own in the
 * image (percpu_boot_unit): this_cpu_* works from the first C function on, percpu_base() does not,
 * and what was written there does not survive the binding.
 */
#ifndef PORT_PERCPU_H
#define PORT_PERCPU_H

#include <port/layout.h>
#include <port/percpu_gs.h>

/* A page more than 64 MiB: the same area of neighbouring CPUs then falls into different sets of the
 * TLB (a power of two would put a sum over all CPUs into one set) and of QEMU's software TLB. */
#define PERCPU_STRIDE_BYTES (64ul * 1024 * 1024 + 4096)

#define PERCPU_STATIC __attribute__((section(".percpu")))
#define percpu_area_of(variable) ((percpu_area_t) & (variable))

static inline uintptr_t percpu_base(uint32_t cpu)
{
    return PERCPU_BASE + cpu * PERCPU_STRIDE_BYTES;
}

extern const char percpu_image_start[];
extern const char percpu_static_end[]; /* linked at the offset behind the last variable */

static inline size_t percpu_static_bytes(void)
{
    return (uintptr_t)percpu_static_end - PERCPU_STATIC_OFFSET;
}

#endif
