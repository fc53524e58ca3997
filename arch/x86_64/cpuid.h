/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPUID instruction leaves in its registers. */
#ifndef X86_CPUID_H
#define X86_CPUID_H

#include <stdint.h>

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

#endif
