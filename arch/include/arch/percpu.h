/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: operations on this CPU's copy of a per-CPU area.
 *
 * An area is an offset (percpu_area_t) that is valid on every CPU; CPU c's copy lies at
 * percpu_base(c) + area, and percpu_base is an affine function of c, so that a remote access costs
 * a shift and an add, no table. Offset 0 is the head below and never an area: 0 means "none".
 *
 * Every port gives, for T in s8 (int8_t), s32 (int32_t), u64 (uint64_t):
 *
 *   T    this_cpu_read_T(percpu_area_t a);
 *   void this_cpu_write_T(percpu_area_t a, T value);
 *   void this_cpu_add_T(percpu_area_t a, T amount);
 *   bool this_cpu_try_cmpxchg_T(percpu_area_t a, T *old, T desired);   (*old updated on failure)
 *
 * Safe against an interrupt on the same CPU without a lock prefix and without masking; NOT atomic
 * against other CPUs, which may only read (they see each word whole, without order). `a` must be
 * aligned to the size of T. Context: any. Cost: one instruction on one line, private unless the
 * line is read remotely.
 *
 *   uint32_t  this_cpu_id(void);              this CPU's number, 0 … nr_cpus-1
 *   uintptr_t this_cpu_base(void);            percpu_base(this_cpu_id())
 *   uintptr_t percpu_base(uint32_t cpu);      address of the CPU's unit
 *   percpu_area_t percpu_area_of(variable);   macro: the area of a static per-CPU variable
 *   PERCPU_STATIC                             attribute that places a variable in the static area
 *   PERCPU_STRIDE_BYTES                       distance between the units of neighbouring CPUs: the
 *                                             upper limit of all offsets
 *   PERCPU_STATIC_OFFSET                      where the image of the static variables belongs in a
 *                                             unit: behind the head, or 0 if the image begins with it
 *   percpu_image_start                        that image as it was linked: const char[], or a macro
 *   size_t percpu_static_bytes(void);         and its size; core/percpu_boot.c copies it
 */
#ifndef ARCH_PERCPU_H
#define ARCH_PERCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t percpu_area_t;

/* What stands at offset 0 of every unit; entry code knows these offsets. */
struct percpu_head {
    uintptr_t base;   /* offset 0: percpu_base() of this CPU */
    uint32_t cpu_id;  /* offset 8 */
    uint32_t hw_id;   /* offset 12: APIC id, MPIDR affinity, ... */
    uint64_t reserved[6];
};
#define PERCPU_HEAD_BYTES 64u

#include <port/percpu.h>

#endif
