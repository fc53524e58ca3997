/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPUID instruction leaves in its registers, and who reads it. */
#ifndef X86_CPUID_H
#define X86_CPUID_H

#include <stdint.h>

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

/* As cpuid_leaf() of cpu_regs.h: zeros for a leaf that is not there. */
typedef struct cpuid cpuid_reader(uint32_t leaf, uint32_t subleaf);

#endif
