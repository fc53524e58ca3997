/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arm64 Image header, and the choice between the two kernels that the image holds.
 *
 *   +0          header, kernel with LL/SC atomics
 *   twin_offset header, kernel with LSE atomics (2 MiB aligned; 0 here: there is none)
 *
 * Header and the state at entry: docs.kernel.org, arch/arm64/booting: x0 is the physical address of
 * the device tree, MMU off, any exception level below EL3, loaded at any 2 MiB boundary. The fields
 * marked J are filled in for the joined image by tools/join_arm64.py.
 *
 * Position independent: every address is taken relative to the program counter.
 */
#define ISAR0_ATOMIC_SHIFT 20   /* ID_AA64ISAR0_EL1: bits 23:20 are not 0: LSE atomics */
#define FLAGS_4K_ANYWHERE 0xa   /* little endian, 4 KiB pages, anywhere in memory */

    .section .boot_header, "ax"
    .globl image_header
image_header:
    b       choose
    .long   0
    .quad   0                           /* text offset from a 2 MiB boundary */
    .quad   image_end - image_header    /* J: bytes of memory that the kernel takes */
    .quad   FLAGS_4K_ANYWHERE
twin_offset:
    .quad   0                           /* J (a reserved field of the protocol) */
    .quad   0
    .quad   0
    .ascii  "ARM\x64"
    .long   0

choose:
    adr     x1, image_header
    ldr     x2, twin_offset
    cbz     x2, 1f
    mrs     x3, id_aa64isar0_el1
    ubfx    x3, x3, #ISAR0_ATOMIC_SHIFT, #4
    cbz     x3, 1f
    add     x1, x1, x2
    br      x1
1:
    adrp    x1, image_handoff
    add     x1, x1, :lo12:image_handoff
    b       early_entry
