/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel, as it is, in the application's data. */
    .section .data.payload, "aw"
    .balign 16
    .globl payload_start
payload_start:
    .incbin PAYLOAD_FILE
    .globl payload_end
payload_end:

    .section .note.GNU-stack, "", %progbits
