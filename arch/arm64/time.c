/* SPDX-License-Identifier: Apache-2.0 */
/* The generic timer's rate (Arm ARM DDI 0487, D12.1). CNTFRQ_EL0 is a register that firmware has
 * written or forgotten, on each CPU by itself: it is a claim, and checked for sense. */
#include <arch/platform.h>
#include <arch/time.h>

#include "arch/arm64/arm64.h"

#define CNTFRQ_HZ_MIN 1000000u /* the architecture's own lower limit */
#define CNTFRQ_HZ_MAX 4000000000u

static uint64_t hz_of_tables;

void arch_set_stamp_hz(uint64_t hz)
{
    hz_of_tables = hz;
}

static uint64_t if_plausible(uint64_t hz)
{
    return hz >= CNTFRQ_HZ_MIN && hz <= CNTFRQ_HZ_MAX ? hz : 0;
}

/* A device tree has the rate only where firmware left a wrong one in the register. */
uint64_t arch_stamp_hz_claim(const char **source)
{
    uint64_t hz = if_plausible(hz_of_tables);

    *source = hz ? "clock-frequency" : "cntfrq";
    return hz ? hz : if_plausible(READ_SYSREG(cntfrq_el0));
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
