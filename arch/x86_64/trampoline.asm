; SPDX-License-Identifier: Apache-2.0
; Where a started CPU begins: real mode, CS = the trampoline page, IP = 0 (Intel SDM vol. 3, 9.4).
;
; The page holds a copy of trampoline_start … trampoline_end and, apart from that, halt loops. It is
; mapped read-only and shared by all CPUs that start: no stack, no variable in it. smp.c fills in
; trampoline_data. From there the CPU goes to ap_entry in the image, finds its own record by its
; APIC id, claims it, and has a stack.

%include "arch/x86_64/early.inc"

extern ap_main
extern x86_ap_records
extern x86_ap_count
extern x86_ap_cr3
extern x86_features

%define SELECTOR_CODE32 0x18
%define CPU_STACK_TOP 0                 ; struct x86_cpu
%define CPU_STATE 8
%define STATE_STARTING 1
%define STATE_RUNNING 2

section .rodata
align 16
global trampoline_start
global trampoline_data
global trampoline_end

bits 16
trampoline_start:
    cli
    cld
    mov ax, cs
    mov ds, ax
    xor ebx, ebx
    mov bx, ax
    shl ebx, 4                          ; physical address of this page
    o32 lgdt [data_gdt - trampoline_start]
    mov eax, 0x11                       ; PE, ET; caches on
    mov cr0, eax
    o32 jmp far [data_protected - trampoline_start]

bits 32
protected:
    mov ax, SELECTOR_DATA
    mov ds, ax
    mov es, ax
    mov ss, ax
    mov eax, CR4_RUN
    mov cr4, eax
    mov eax, [ebx + data_cr3 - trampoline_start]
    mov cr3, eax
    mov ecx, MSR_EFER
    mov eax, [ebx + data_efer - trampoline_start]
    xor edx, edx
    wrmsr
    mov eax, CR0_RUN
    mov cr0, eax
    jmp far [ebx + data_long - trampoline_start]

bits 64
long_mode:
    mov rax, ap_entry
    jmp rax

align 8
trampoline_data:                        ; struct trampoline_data of smp.c
data_cr3: dd 0
data_efer: dd 0
data_gdt: dw gdt_end - gdt - 1
    dd 0                                ; physical address of gdt
    dw 0
data_protected: dd protected - trampoline_start
    dw SELECTOR_CODE32
    dw 0
data_long: dd long_mode - trampoline_start
    dw SELECTOR_CODE
    dw 0
align 8
gdt:
    dq 0
    dq 0x00af9b000000ffff               ; SELECTOR_CODE
    dq 0x00cf93000000ffff               ; SELECTOR_DATA
    dq 0x00cf9b000000ffff               ; SELECTOR_CODE32
gdt_end:
trampoline_end:

section .text
ap_entry:
    mov rax, [x86_ap_cr3]
    mov cr3, rax                        ; the trampoline page is gone
    ; Own APIC id: leaf 1 has it in EBX 31:24, the others in EDX.
    mov eax, [x86_features]             ; id_leaf
    mov esi, eax
    xor ecx, ecx
    cpuid
    cmp esi, 1
    jne .whole_id
    mov edx, ebx
    shr edx, 24
.whole_id:
    mov rdi, [x86_ap_records]           ; { u64 hw_id, struct x86_cpu * } each
    mov ecx, [x86_ap_count]
    jecxz .stray
.search:
    cmp [rdi], rdx
    je .found
    add rdi, 16
    dec ecx
    jnz .search
.stray:
    cli
    hlt
    jmp .stray
.found:
    mov rdi, [rdi + 8]
    mov eax, STATE_STARTING
    mov ecx, STATE_RUNNING
    lock cmpxchg [rdi + CPU_STATE], ecx
    jne .stray                          ; given up, or started twice
    mov rsp, [rdi + CPU_STACK_TOP]
    xor ebp, ebp
    call ap_main
