; SPDX-License-Identifier: Apache-2.0
; Where the EFI application enters the x86-64 kernel, and the header by which it finds that place in
; the flat image: 16 bytes of magic in its first 4 KiB, on a multiple of 8 (boot/efi/app/x86_64).
;
; State at entry: as the other x86 boot paths', 32-bit protected mode, flat segments, no paging,
; interrupts off; EBX = physical address of struct efi_info, EBP = how much higher the image lies
; than it is linked.

%include "arch/x86_64/early.inc"

extern early_entry
extern efi_handoff
extern image_start
extern image_end

section .boot_header progbits alloc noexec nowrite align=8
    db "CorestormPayload"
    dd PHYS(image_start)                ; all as linked
    dd PHYS(image_end)                  ; of its memory: behind the file's bytes they are zero
    dd PHYS(efi_entry)
    dd 0

section .boot_text progbits alloc exec nowrite align=16
bits 32
efi_entry:
    mov esi, PHYS(efi_handoff)
    jmp early_entry
