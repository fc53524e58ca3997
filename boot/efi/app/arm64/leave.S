/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From firmware's state, MMU on at EL1 or EL2, to that in which the Image is entered.
 *
 *   x0  passed on      x1  passed on      x2  where to go
 *
 * Firmware maps all memory one to one (UEFI 2.10, 2.3.6), so the program counter means the same with
 * the MMU off. From then on nothing is in the caches: payload.c has cleaned this code, the stack is
 * not used.
 */
#define CURRENT_EL2 0x8
#define SCTLR_M (1 << 0)
#define SCTLR_C (1 << 2)
#define SCTLR_I (1 << 12)

    .text
    .balign 64
    .globl leave_start
    .globl leave
leave_start:
leave:
    msr     daifset, #0xf
    mov     x4, #(SCTLR_M | SCTLR_C)
    orr     x4, x4, #SCTLR_I
    mrs     x3, CurrentEL
    cmp     x3, #CURRENT_EL2
    b.eq    1f
    mrs     x3, sctlr_el1
    bic     x3, x3, x4
    msr     sctlr_el1, x3
    b       2f
1:
    mrs     x3, sctlr_el2
    bic     x3, x3, x4
    msr     sctlr_el2, x3
2:
    isb
    ic      iallu
    dsb     nsh
    isb
    mov     x4, x2
    mov     x2, xzr
    mov     x3, xzr
    br      x4
    .balign 64
    .globl leave_end
leave_end:

    .section .note.GNU-stack, "", %progbits
