/* SPDX-License-Identifier: Apache-2.0 */
/* What CPUID claims of the time stamp's rate. A pure function over a reader of leaves, for the
 * tests too. */
#ifndef X86_CPUID_CLOCK_H
#define X86_CPUID_CLOCK_H

#include "arch/x86_64/cpuid.h"

/* Leaf 15h: TSC = crystal × EBX / EAX, the crystal's rate in ECX. Leaf 16h: the base frequency in
 * MHz, which is the TSC's where the crystal's is not stated (Intel SDM vol. 3, 19.7.3). 0: neither.
 */
static inline uint64_t cpuid_clock_claim(cpuid_reader *read, const char **source)
{
    struct cpuid ratio = read(0x15, 0), base = read(0x16, 0);

    if (ratio.eax && ratio.ebx && ratio.ecx) {
        *source = "cpuid-15h";
        return (uint64_t)ratio.ecx * ratio.ebx / ratio.eax;
    }
    if (ratio.eax && ratio.ebx && base.eax & 0xffff) {
        *source = "cpuid-16h";
        return (uint64_t)(base.eax & 0xffff) * 1000000;
    }
    return 0;
}

#endif
