; SPDX-License-Identifier: Apache-2.0
; From 32-bit protected mode, where every x86 boot path arrives, to kernel_main() in long mode.
;
;   EBX  physical address of the loader's information
;   ESI  linked physical address of the converter: const struct boot_handoff *f(uint32_t info_phys)
;   EBP  how much higher the image lies than it is linked: a multiple of 2 MiB, below 4 GiB
;
; Early page tables: the first 4 GiB one to one and at the direct map (not executable there), a GiB
; from where the image lies at the kernel's addresses. All loaders have zeroed .bss, as ELF asks of
; them; the tables are in it. Interrupts are off throughout, and no trap table exists before
; arch_early_init(). Until paging is on, what is in the image is named [ebp + PHYS(symbol)].

%include "arch/x86_64/early.inc"

%define DEBUG_EXIT_PORT 0xf4
%define DEBUG_EXIT_FAIL 0x11

extern boot_stack_top
extern percpu_boot_unit
extern percpu_image_start
extern percpu_image_bytes
extern x86_image_shift
extern kernel_main

section .boot_text progbits alloc exec nowrite align=16
bits 32

global early_entry
early_entry:
    cli
    cld
    lea esp, [ebp + PHYS(boot_stack_top)]
    mov edi, ebx                        ; CPUID changes EBX
    mov eax, 0x80000000
    cpuid
    cmp eax, 0x80000001
    jb no_long_mode
    mov eax, 0x80000001
    cpuid
    bt edx, 29                          ; LM
    jnc no_long_mode
    mov ebx, edx                        ; bit 20: NX

    ; Page directories: 4 x 512 pages of 2 MiB.
    mov eax, PTE_LARGE
    lea ecx, [ebp + PHYS(early_directories)]
.directory:
    mov [ecx], eax
    add ecx, 8
    add eax, 0x200000
    jnc .directory                      ; wraps at 4 GiB
    ; One for the image. What is behind it there is never used, and may wrap.
    lea eax, [ebp + PTE_LARGE]
    lea ecx, [ebp + PHYS(early_kernel_directory)]
    lea edx, [ecx + 0x1000]
.kernel_directory:
    mov [ecx], eax
    add ecx, 8
    add eax, 0x200000
    cmp ecx, edx
    jb .kernel_directory

    lea eax, [ebp + PHYS(early_kernel_directory) + PTE_TABLE]
    mov [ebp + PHYS(early_kernel_pointers) + 510 * 8], eax
    lea eax, [ebp + PHYS(early_directories) + PTE_TABLE]
    xor ecx, ecx
.pointer:
    mov [ebp + PHYS(early_low_pointers) + ecx * 8], eax
    add eax, 0x1000
    inc ecx
    cmp ecx, 4
    jb .pointer

    lea eax, [ebp + PHYS(early_low_pointers) + PTE_TABLE]
    mov [ebp + PHYS(early_top)], eax
    mov [ebp + PHYS(early_top) + DIRECT_MAP_SLOT * 8], eax
    lea eax, [ebp + PHYS(early_kernel_pointers) + PTE_TABLE]
    mov [ebp + PHYS(early_top) + 511 * 8], eax

    mov eax, CR4_RUN
    mov cr4, eax
    lea eax, [ebp + PHYS(early_top)]
    mov cr3, eax
    mov ecx, MSR_EFER
    rdmsr
    or eax, EFER_LME
    bt ebx, 20
    jnc .no_nx
    or eax, EFER_NXE
    mov dword [ebp + PHYS(early_top) + DIRECT_MAP_SLOT * 8 + 4], 0x80000000
.no_nx:
    wrmsr
    mov eax, CR0_RUN
    mov cr0, eax
    lea eax, [ebp + PHYS(early_gdt)]
    push eax
    push dword (early_gdt_end - early_gdt - 1) << 16
    lgdt [esp + 2]
    lea eax, [ebp + PHYS(long_mode)]
    push dword SELECTOR_CODE
    push eax
    retf

; There is nothing to run on: says so on the first serial port, and halts. Below a hypervisor it
; leaves with "fail" before that, by QEMU's isa-debug-exit if it is there (drivers/exit_qemu.c); on
; a machine, nobody has said what is at that port.
no_long_mode:
    lea esi, [ebp + PHYS(no_long_mode_text)]
    mov dx, 0x3f8
.next:
    lodsb
    test al, al
    jz .leave
    out dx, al
    jmp .next
.leave:
    mov eax, 1
    cpuid
    bt ecx, 31                          ; a hypervisor is below
    jnc .halt
    mov eax, DEBUG_EXIT_FAIL
    mov dx, DEBUG_EXIT_PORT
    out dx, eax
.halt:
    hlt
    jmp .halt

bits 64
long_mode:
    mov rax, .high
    jmp rax
.high:
    mov eax, SELECTOR_DATA
    mov ds, eax
    mov es, eax
    mov ss, eax
    xor eax, eax
    mov fs, eax
    mov gs, eax
    mov rsp, boot_stack_top
    mov ebx, edi                        ; the information
    mov r12d, esi
    mov rax, KERNEL_VIRT_OFFSET
    add r12, rax                        ; the converter, at its linked address

    mov eax, ebp
    mov [x86_image_shift], rax

    ; This CPU's per-CPU unit until arch_cpu_bind_boot(): the head, then the statics' first values.
    mov rdi, percpu_boot_unit
    mov [rdi], rdi
    mov eax, edi
    mov rdx, rdi
    shr rdx, 32
    mov ecx, MSR_GS_BASE
    wrmsr
    add rdi, 64
    mov rsi, percpu_image_start
    mov rcx, percpu_image_bytes
    rep movsb

    xor ebp, ebp                        ; the backtrace ends here
    mov edi, ebx
    call r12
    mov rdi, rax
    call kernel_main
.end:
    hlt
    jmp .end

section .rodata
align 8
early_gdt:
    dq 0
    dq 0x00af9b000000ffff               ; SELECTOR_CODE: 64-bit
    dq 0x00cf93000000ffff               ; SELECTOR_DATA
early_gdt_end:

no_long_mode_text:
    db "# corestorm needs a 64-bit processor", 13, 10, 0

section .bss nobits alloc noexec write align=4096
early_top: resb 4096
early_low_pointers: resb 4096
early_kernel_pointers: resb 4096
early_kernel_directory: resb 4096
early_directories: resb 4 * 4096
