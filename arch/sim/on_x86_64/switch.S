/* SPDX-License-Identifier: Apache-2.0 */
/*
 * void sim_switch_stacks(void **save_sp, void *load_sp)
 *
 * Keeps what a called function must keep (System V ABI for x86-64, figure 3.4: rbx, rbp, r12-r15)
 * on the stack, saves the stack pointer and goes on where `load_sp` was saved. The control words of
 * the FPU are the same everywhere. A new stack holds six zeros and the address to begin at
 * (SIM_NEW_STACK_WORDS in cpus.c); the zeros end a walk of the frame pointers.
 */
    .text
    .globl sim_switch_stacks
    .type sim_switch_stacks, @function
sim_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size sim_switch_stacks, . - sim_switch_stacks

    .section .note.GNU-stack, "", @progbits
