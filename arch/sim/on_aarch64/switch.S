/* SPDX-License-Identifier: Apache-2.0 */
/*
 * void sim_switch_stacks(void **save_sp, void *load_sp)
 *
 * Keeps what a called function must keep (AAPCS64, 6.1.1 and 6.1.2: x19-x30, d8-d15) on the stack,
 * saves the stack pointer and goes on where `load_sp` was saved.
 */
    .text
    .globl sim_switch_stacks
    .type sim_switch_stacks, %function
sim_switch_stacks:
    sub sp, sp, #160
    stp x29, x30, [sp]
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x29, x30, [sp]
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size sim_switch_stacks, . - sim_switch_stacks

    .section .note.GNU-stack, "", %progbits
