; SPDX-License-Identifier: Apache-2.0
; From firmware's long mode to 32-bit protected mode without paging, where the kernel's entry is.
; Copied to a page below 4 GiB, which firmware maps one to one, as it does all memory (UEFI 2.10,
; 2.3.4), and runs there: position independent.
;
;   EDI  physical address of the information, passed on in EBX
;   ESI  where to go
;   EDX  how much higher the kernel lies than it is linked, passed on in EBP
;
; Order: Intel SDM vol. 3, 9.8.5.4; five-level paging, PCIDs and shadow stacks, which firmware may
; have on, end with CR4.

%define CR0_PG (1 << 31)
%define CR4_PCIDE 17
%define CR4_CET 23
%define MSR_EFER 0xc0000080
%define EFER_LME_AND_MORE ((1 << 8) | (1 << 11))
%define SELECTOR_CODE32 0x08
%define SELECTOR_DATA 0x10

section .text
global leave_start
global leave_end

bits 64
leave_start:
    cli
    cld
    mov ebx, edi
    mov ebp, edx
    mov rax, cr4
    btr rax, CR4_CET
    btr rax, CR4_PCIDE
    mov cr4, rax
    lea rsp, [rel stack_top]
    sub rsp, 16
    mov word [rsp], gdt_end - gdt - 1
    lea rax, [rel gdt]
    mov [rsp + 2], rax
    lgdt [rsp]
    lea rax, [rel compatible]
    push SELECTOR_CODE32
    push rax
    retfq

bits 32
compatible:
    mov eax, SELECTOR_DATA
    mov ds, eax
    mov es, eax
    mov ss, eax
    mov eax, cr0
    and eax, ~CR0_PG
    mov cr0, eax
    mov ecx, MSR_EFER
    rdmsr
    and eax, ~EFER_LME_AND_MORE
    wrmsr
    xor eax, eax
    mov cr4, eax
    jmp esi

align 8
gdt:
    dq 0
    dq 0x00cf9b000000ffff               ; SELECTOR_CODE32
    dq 0x00cf93000000ffff               ; SELECTOR_DATA
gdt_end:
    times 16 dq 0
stack_top:
leave_end:
