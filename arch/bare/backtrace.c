/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look at the stack by frame pointers (System V ABI; AAPCS64, 6.4.6). The stack may be what is
 * broken: every word is read by an instruction that may fault, frames go upwards only, and not
 * further than a stack is large. What is given lies in each call, not behind it:
 * behind a call that never returns another function may begin.
 */
#include <arch/machine.h>
#include <port/layout.h>

#include "arch/bare/probe.h"

#define FRAME_STEP_BYTES_MAX 65536u

extern char text_start[], text_end[];

unsigned arch_backtrace(uintptr_t frame, uintptr_t *pcs, unsigned max)
{
    uint64_t next, pc;
    unsigned count = 0;

    if (!frame)
        frame = (uintptr_t)__builtin_frame_address(0);
    while (count < max && frame % 8 == 0 && probe_read64(frame, &next) &&
           probe_read64(frame + 8, &pc)) {
        if (pc < (uintptr_t)text_start || pc >= (uintptr_t)text_end)
            break;
        pcs[count++] = pc - CALL_BYTES;
        if (next <= frame || next - frame > FRAME_STEP_BYTES_MAX)
            break;
        frame = next;
    }
    return count;
}
