/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's helper for __builtin_popcountll. The one in libgcc uses vector registers, which
 * trap here (machine.c). By halves of growing fields: Warren, "Hacker's Delight", 5-1. */
int __popcountdi2(unsigned long x);

int __popcountdi2(unsigned long x)
{
    x -= x >> 1 & 0x5555555555555555ul;
    x = (x & 0x3333333333333333ul) + (x >> 2 & 0x3333333333333333ul);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0ful;
    return (int)(x * 0x0101010101010101ul >> 56);
}
