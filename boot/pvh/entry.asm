; SPDX-License-Identifier: Apache-2.0
; The PVH entry: what `qemu -kernel` and Firecracker-style monitors jump to.
;
; The note names the physical address (Xen public/elfnote.h, XEN_ELFNOTE_PHYS32_ENTRY; Xen
; docs/misc/pvh.pandoc). State at entry: 32-bit protected mode, flat segments, no paging, interrupts
; off, EBX = physical address of struct hvm_start_info.

%include "arch/x86_64/early.inc"

extern early_entry
extern pvh_handoff

section .note.boot alloc noexec nowrite align=4
    dd 4                                ; bytes of the name
    dd 8                                ; bytes of the descriptor: QEMU reads eight
    dd 18                               ; XEN_ELFNOTE_PHYS32_ENTRY
    db "Xen", 0
    dq PHYS(pvh_entry)

section .boot_text progbits alloc exec nowrite align=16
bits 32
global pvh_entry
pvh_entry:
    xor ebp, ebp                        ; where it is linked
    mov esi, PHYS(pvh_handoff)
    jmp early_entry
