/* SPDX-License-Identifier: Apache-2.0 */
/* The generic timer's rate (Arm ARM DDI 0487, D12.1). CNTFRQ_EL0 is a register that firmware has
 * written or forgotten, on each CPU by itself: it is a claim, and checked for sense. */
#include <arch/time.h>

#include "arch/arm64/arm64.h"

#define CNTFRQ_HZ_MIN 1000000u    /* the architecture's own lower limit */
#define CNTFRQ_HZ_MAX 4000000000u

uint64_t arch_stamp_hz_claim(const char **source)
{
    uint64_t hz = READ_SYSREG(cntfrq_el0);

    *source = "cntfrq";
    return hz >= CNTFRQ_HZ_MIN && hz <= CNTFRQ_HZ_MAX ? hz : 0;
}

bool arch_stamp_is_exact(void)
{
    return false;
}

/* The system counter runs at one rate in every power state (Arm ARM, D12.1.2). */
bool arch_stamp_is_invariant(void)
{
    return true;
}
