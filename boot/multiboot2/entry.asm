; SPDX-License-Identifier: Apache-2.0
; The multiboot2 header and entry: what GRUB jumps to, on BIOS and on UEFI machines.
;
; Multiboot2 specification 2.0, section 3.1 (header) and 3.3 (machine state): 32-bit protected mode,
; flat segments, no paging, interrupts off, EAX = magic, EBX = physical address of the information.

%include "arch/x86_64/early.inc"

extern early_entry
extern multiboot2_handoff

%define HEADER_MAGIC 0xe85250d6
%define LOADER_MAGIC 0x36d76289
%define TAG_OPTIONAL 1

section .boot_header progbits alloc noexec nowrite align=8
header:
    dd HEADER_MAGIC
    dd 0                                ; i386, protected mode
    dd header_end - header
    dd 0x100000000 - (HEADER_MAGIC + (header_end - header))
align 8, db 0
    dw 1, TAG_OPTIONAL                  ; information wanted
    dd 8 + 4 * 6
    dd 1, 2, 6, 8, 14, 15               ; command line, loader, map, framebuffer, RSDP old and new
align 8, db 0
    dw 3, 0                             ; entry address: e_entry is PVH's
    dd 12
    dd PHYS(multiboot2_entry)
align 8, db 0
    dw 5, TAG_OPTIONAL                  ; framebuffer, of any size
    dd 20
    dd 0, 0, 0
align 8, db 0
    dw 10, TAG_OPTIONAL                 ; the image can lie elsewhere: where that memory is firmware's
    dd 24
    dd 0x200000, 0xffffffff, 0x200000, 1 ; above, below, boundary; as low as possible
align 8, db 0
    dw 0, 0
    dd 8
header_end:

section .boot_text progbits alloc exec nowrite align=16
bits 32
multiboot2_entry:
    cmp eax, LOADER_MAGIC
    je .known
    xor ebx, ebx                        ; not multiboot2: no information, so where it is linked
    xor ebp, ebp
    jmp .enter
.known:
    ; Where are we? There is no stack, but a reserved word of the information to call with.
    lea esp, [ebx + 8]
    call .here
.here:
    pop ebp
    sub ebp, PHYS(.here)
.enter:
    mov esi, PHYS(multiboot2_handoff)
    jmp early_entry
