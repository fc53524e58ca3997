/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exception vectors (Arm ARM DDI 0487, D1.3.1.2), and instructions that may fault, with where
 * to go on when they do (.ex_table, read by exceptions.c).
 *
 * A thread runs on SP_EL0, an exception on SP_EL1: the first four vectors are the usual ones, the
 * next four are exceptions within a handler. What comes from EL0 does not happen.
 */
#define FRAME_BYTES 304 /* struct trap_frame */
#define FRAME_SP 248

    .macro  VECTOR number
    .balign 128
    sub     sp, sp, #FRAME_BYTES
    stp     x0, x1, [sp]
    mov     x0, #\number
    .if     \number < 4
    mrs     x1, sp_el0
    .else
    add     x1, sp, #FRAME_BYTES
    .endif
    b       exception_common
    .endm

    .text
    .balign 2048
    .globl  exception_vectors
exception_vectors:
    .set    number, 0
    .rept   16
    VECTOR  number
    .set    number, number + 1
    .endr

exception_common:
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x19, [sp, #144]
    stp     x20, x21, [sp, #160]
    stp     x22, x23, [sp, #176]
    stp     x24, x25, [sp, #192]
    stp     x26, x27, [sp, #208]
    stp     x28, x29, [sp, #224]
    mrs     x2, elr_el1
    mrs     x3, spsr_el1
    mrs     x4, esr_el1
    mrs     x5, far_el1
    stp     x30, x1, [sp, #240]
    stp     x2, x3, [sp, #FRAME_SP + 8]
    stp     x4, x5, [sp, #FRAME_SP + 24]
    str     x0, [sp, #FRAME_SP + 40]
    mov     x0, sp
    bl      exception_handle
    ldp     x2, x3, [sp, #FRAME_SP + 8]
    msr     elr_el1, x2
    msr     spsr_el1, x3
    ldp     x0, x1, [sp]
    ldp     x2, x3, [sp, #16]
    ldp     x4, x5, [sp, #32]
    ldp     x6, x7, [sp, #48]
    ldp     x8, x9, [sp, #64]
    ldp     x10, x11, [sp, #80]
    ldp     x12, x13, [sp, #96]
    ldp     x14, x15, [sp, #112]
    ldp     x16, x17, [sp, #128]
    ldp     x18, x19, [sp, #144]
    ldp     x20, x21, [sp, #160]
    ldp     x22, x23, [sp, #176]
    ldp     x24, x25, [sp, #192]
    ldp     x26, x27, [sp, #208]
    ldp     x28, x29, [sp, #224]
    ldr     x30, [sp, #240]
    add     sp, sp, #FRAME_BYTES
    eret

    .macro  FIXUP at, go_on_at
    .pushsection .ex_table, "a"
    .balign 8
    .quad   \at, \go_on_at
    .popsection
    .endm

/* int64_t semihosting_call(uint64_t operation, const void *block) */
    .globl  semihosting_call
semihosting_call:
1:  hlt     #0xf000
    ret
    FIXUP   1b, refused

/* int64_t smccc_hvc(uint64_t function, uint64_t a, uint64_t b, uint64_t c) */
    .globl  smccc_hvc
smccc_hvc:
1:  hvc     #0
    ret
    FIXUP   1b, refused

    .globl  smccc_smc
smccc_smc:
1:  smc     #0
    ret
    FIXUP   1b, refused

/* bool probe_read64(uintptr_t va, uint64_t *value) */
    .globl  probe_read64
probe_read64:
1:  ldr     x2, [x0]
    str     x2, [x1]
    mov     w0, #1
    ret
    FIXUP   1b, probe_refused

/* bool probe_write8(uintptr_t va, uint8_t value) */
    .globl  probe_write8
probe_write8:
1:  strb    w1, [x0]
    mov     w0, #1
    ret
    FIXUP   1b, probe_refused

/* bool probe_call(uintptr_t va): the fault is at va itself; exceptions.c finds this place by the
 * return address. */
    .globl  probe_call
probe_call:
    stp     x29, x30, [sp, #-16]!
    blr     x0
1:  mov     w0, #1
    ldp     x29, x30, [sp], #16
    ret
2:  mov     w0, #0
    ldp     x29, x30, [sp], #16
    ret
    FIXUP   1b, 2b

probe_refused:
    mov     w0, #0
    ret

refused:
    mov     x0, #-1
    ret
