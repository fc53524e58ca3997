; SPDX-License-Identifier: Apache-2.0
; Instructions that may fault, with where to go on when they do: each pair of addresses in .ex_table
; is read by traps.c. System V ABI; none of them has moved the stack at the faulting instruction.

section .text
bits 64

%macro FIXUP 2                          ; faulting instruction, where to go on
    [section .ex_table progbits alloc noexec nowrite align=8]
    dq %1, %2
    __?SECT?__
%endmacro

; bool rdmsr_safe(uint32_t msr, uint64_t *value)
global rdmsr_safe
rdmsr_safe:
    mov ecx, edi
.read:
    rdmsr
    FIXUP .read, refused
    shl rdx, 32
    or rax, rdx
    mov [rsi], rax
    mov eax, 1
    ret

; bool wrmsr_safe(uint32_t msr, uint64_t value)
global wrmsr_safe
wrmsr_safe:
    mov ecx, edi
    mov eax, esi
    mov rdx, rsi
    shr rdx, 32
.write:
    wrmsr
    FIXUP .write, refused
    mov eax, 1
    ret

; bool probe_read64(uintptr_t va, uint64_t *value)
global probe_read64
probe_read64:
.read:
    mov rax, [rdi]
    FIXUP .read, refused
    mov [rsi], rax
    mov eax, 1
    ret

; bool probe_write8(uintptr_t va, uint8_t value)
global probe_write8
probe_write8:
.write:
    mov [rdi], sil
    FIXUP .write, refused
    mov eax, 1
    ret

; bool probe_call(uintptr_t va): the fault is at va itself; traps.c finds this place by the return
; address, and takes that off the stack. An address that is not canonical faults here already on
; some processors.
global probe_call
probe_call:
    push rbp
    mov rbp, rsp
.call:
    call rdi
.return:
    FIXUP .call, .refused
    FIXUP .return, .refused
    mov eax, 1
    pop rbp
    ret
.refused:
    pop rbp

refused:
    xor eax, eax
    ret
