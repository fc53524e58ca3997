/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arm64 Image header, and the choice between the two kernels that the image holds.
 *
 *   +0          header, kernel with LL/SC atomics
 *   twin_offset header, kernel with LSE atomics (2 MiB aligned; 0 here: there is none)
 *
 * Header and the state at entry: docs.kernel.org, arch/arm64/booting: x0 is the physical address of
 * the device tree, MMU off, any exception level below EL3, loaded at any 2 MiB boundary. The fields
 * marked J are filled in for the joined image by tools/join_arm64.py. The EFI application enters in
 * the same state, with a magic number in x1 (boot/early.h).
 *
 * Position independent: every address is taken relative to the program counter.
 */
#include "boot/early.h"

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
    adr     x16, image_header
    ldr     x17, twin_offset
    cbz     x17, 1f
    mrs     x3, id_aa64isar0_el1
    ubfx    x3, x3, #ISAR0_ATOMIC_SHIFT, #4
    cbz     x3, 1f
    add     x16, x16, x17
    br      x16
1:
    ldr     x16, is_efi
    cmp     x1, x16
    b.eq    2f
    adrp    x1, image_handoff
    add     x1, x1, :lo12:image_handoff
    b       early_entry
2:
    adrp    x1, efi_handoff
    add     x1, x1, :lo12:efi_handoff
    b       early_entry

    .balign 8
is_efi:
    .quad   BOOT_EARLY_IS_EFI
