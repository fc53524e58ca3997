/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of core/time_scale.h, and rounding to what an error bar justifies. */
#include "core/time_scale.h"

/* numerator × 2^shift / denominator, cut off, without a 128-bit division (which would need the
 * compiler's library): one bit a step. The quotient must fit; denominator < 2^63. */
static uint64_t time_factor(uint64_t numerator, uint64_t denominator, unsigned shift)
{
    uint64_t quotient = numerator / denominator, rest = numerator % denominator;

    while (shift--) {
        rest <<= 1;
        quotient = quotient << 1 | (rest >= denominator);
        if (rest >= denominator)
            rest -= denominator;
    }
    return quotient;
}

struct time_scale time_scale_make(uint64_t hz)
{
    hz = hz < TIME_HZ_MIN ? TIME_HZ_MIN : hz > TIME_HZ_MAX ? TIME_HZ_MAX : hz;
    return (struct time_scale){
        .hz = hz,
        .ps_factor = time_factor(1000000000000ull, hz, TIME_PS_SHIFT),
        .ns_factor = time_factor(1000000000ull, hz, TIME_NS_SHIFT),
        .ticks_factor = time_factor(hz, 1000000000ull, TIME_TICKS_SHIFT),
    };
}

uint64_t time_round_within(uint64_t value, uint64_t error)
{
    for (uint64_t step = 1000000000000ull; step > 1; step /= 10) {
        uint64_t rounded = (value + step / 2) / step * step;
        uint64_t off = rounded > value ? rounded - value : value - rounded;

        if (rounded && off <= error)
            return rounded;
    }
    return value;
}
