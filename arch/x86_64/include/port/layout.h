/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where everything lies in the x86-64 address space; numbers only, so that linker.ld can read it.
 *
 *   ffff888000000000  direct map of usable memory
 *   ffffc00000000000  per-CPU units, one every PERCPU_STRIDE_BYTES
 *   ffffc80000000000  stacks, an unmapped page below each
 *   ffffd00000000000  windows onto device memory
 *   ffffea0000000000  array of struct page, by page frame number
 *   ffffffff80000000  kernel image, + its linked physical address; a loader that can may put it at any
 *                     2 MiB boundary below 4 GiB instead (early_entry.asm)
 *
 * arch/x86_64/early.inc repeats the two numbers that NASM needs.
 */
#ifndef PORT_LAYOUT_H
#define PORT_LAYOUT_H

#define KERNEL_VIRT_OFFSET 0xffffffff80000000
#define KERNEL_PHYS 0x200000
/* e_entry, at its linked address: GRUB looks for it in a segment, though it enters elsewhere. */
#define KERNEL_ENTRY pvh_entry
#define KERNEL_OUTPUT_FORMAT "elf64-x86-64"
#define KERNEL_OUTPUT_ARCH i386:x86-64

/* The static per-CPU section is linked at its offset in a unit: right behind struct percpu_head. */
#define PERCPU_STATIC_OFFSET 0x40

#define DIRECT_MAP_BASE 0xffff888000000000
#define DIRECT_MAP_END 0xffffc00000000000
#define PERCPU_BASE 0xffffc00000000000
#define STACKS_BASE 0xffffc80000000000
#define STACKS_END 0xffffd00000000000
#define WINDOWS_BASE 0xffffd00000000000
#define WINDOWS_END 0xffffe00000000000

/* From where a call returns to, back into the call. */
#define CALL_BYTES 1

#endif
