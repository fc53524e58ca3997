/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where everything lies in the arm64 address space (48 bits, 4 KiB granule, TTBR1 alone); numbers
 * only, so that linker.ld and the entry code can read it.
 *
 *   ffff000000000000  direct map of usable memory, physical addresses below 2^47
 *   ffff800000000000  per-CPU units, one every PERCPU_STRIDE
 *   ffff880000000000  stacks, an unmapped page below each
 *   ffff900000000000  windows onto device memory and firmware tables
 *   ffffa00000000000  array of struct page, by page frame number
 *   ffffffff80000000  kernel image; its physical address is the loader's choice, 2 MiB aligned
 *
 * The direct map begins at the first address of TTBR1, so the early tables serve as both halves:
 * one root gives the identity map and the direct map (arch/arm64/early_tables.c).
 */
#ifndef PORT_LAYOUT_H
#define PORT_LAYOUT_H

/* LMA 0: the flat image is what objcopy makes of it, and runs at any 2 MiB boundary. */
#define KERNEL_VIRT_OFFSET 0xffffffff80000000
#define KERNEL_PHYS 0x0
#define KERNEL_OUTPUT_FORMAT "elf64-littleaarch64"
#define KERNEL_OUTPUT_ARCH aarch64
#define KERNEL_ENTRY image_header

/* The static per-CPU section is linked at its offset in a unit: right behind struct percpu_head. */
#define PERCPU_STATIC_OFFSET 0x40

#define DIRECT_MAP_BASE 0xffff000000000000
#define DIRECT_MAP_END 0xffff800000000000
#define PERCPU_BASE 0xffff800000000000
#define STACKS_BASE 0xffff880000000000
#define STACKS_END 0xffff900000000000
#define WINDOWS_BASE 0xffff900000000000
#define WINDOWS_END 0xffffa00000000000

/* A page more than 64 MiB: the same area of neighbouring CPUs then falls into different sets of the
 * TLB (a power of two would put a sum over all CPUs into one set) and of QEMU's software TLB. */
#define PERCPU_STRIDE 0x4001000

/* From where a call returns to, back to the call. */
#define CALL_BYTES 4

#endif
