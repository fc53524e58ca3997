; SPDX-License-Identifier: Apache-2.0
; Halting until an interrupt, without losing one that is there already.
;
; STI holds interrupts off until the instruction after it has begun (Intel SDM vol. 2, STI), so that
; one which is pending ends the HLT. An NMI may still come between the two; what is pending is then
; taken when the NMI returns, and the HLT would sleep over it: traps.c lets no trap return to
; x86_halt_at, but to x86_halt_end.

section .text
bits 64

; void x86_halt(void): interrupts masked before and after
global x86_halt
global x86_halt_at
global x86_halt_end
x86_halt:
    sti
x86_halt_at:
    hlt
x86_halt_end:
    cli
    ret
