; SPDX-License-Identifier: Apache-2.0
; The 256 entries of the trap table: each makes the frame look alike (struct trap_frame in x86.h)
; and goes to trap_handle() on the stack that the CPU chose (IST for NMI, #DF and #MC).
;
; GS holds the kernel's base at all times: nothing else ever runs here.

extern trap_handle

%define TRAP_STUB_BYTES 16

section .text
bits 64

; Vectors that push an error code, a bit each: 8, 10 to 14, 17, 21 (Intel SDM vol. 3, table 6-1), 29
; and 30 (#VC, #SX: AMD64 APM vol. 2, 8.2).
%define ERROR_CODE_VECTORS 0x60227d00
%define HAS_ERROR_CODE(v) ((v) < 32 && ((ERROR_CODE_VECTORS >> (v)) & 1))

align TRAP_STUB_BYTES
global trap_stubs
trap_stubs:
%assign vector 0
%rep 256
    align TRAP_STUB_BYTES
%if !HAS_ERROR_CODE(vector)
    push 0
%endif
    push vector
    jmp trap_common
%assign vector vector + 1
%endrep

align 16
trap_common:
    push rax
    push rcx
    push rdx
    push rbx
    push rbp
    push rsi
    push rdi
    push r8
    push r9
    push r10
    push r11
    push r12
    push r13
    push r14
    push r15
    cld
    mov rdi, rsp
    call trap_handle
    pop r15
    pop r14
    pop r13
    pop r12
    pop r11
    pop r10
    pop r9
    pop r8
    pop rdi
    pop rsi
    pop rbp
    pop rbx
    pop rdx
    pop rcx
    pop rax
    add rsp, 16                         ; vector, error code
    iretq
