/* SPDX-License-Identifier: Apache-2.0 */
/* The host's clock as time stamp. */
#include <arch/time.h>

#include <stddef.h>
#include <time.h>

#define NS_PER_S 1000000000ull

uint64_t arch_stamp(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t arch_stamp_hz_claim(const char **source)
{
    if (source)
        *source = "CLOCK_MONOTONIC_RAW";
    return NS_PER_S;
}

bool arch_stamp_is_exact(void)
{
    return true;
}

bool arch_stamp_is_invariant(void)
{
    return true;
}
