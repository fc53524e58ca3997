/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks of a counter to time and back: multiplications by fixed-point factors, made once from the
 * rate. Pure functions; core/time.c holds the one scale of the kernel's stamp.
 *
 *   ps    = ticks × ps_factor    / 2^TIME_PS_SHIFT       factor = 10^12 / hz, and so on;
 *   ns    = ticks × ns_factor    / 2^TIME_NS_SHIFT       the factor is cut off below 2^-40 ps,
 *   ticks = ns    × ticks_factor / 2^TIME_TICKS_SHIFT    which is < 1 ns in 10^15 ticks
 *
 * S1. Results are rounded to nearest, products are 128 bits wide, results that do not fit are
 *     UINT64_MAX.
 * S2. A difference with its top bit set is negative (stamps out of step) and counts as 0.
 */
#ifndef CORE_TIME_SCALE_H
#define CORE_TIME_SCALE_H

#include <stdint.h>

#define TIME_HZ_MIN 100000ull
#define TIME_HZ_MAX 100000000000ull
#define TIME_PS_SHIFT 40u
#define TIME_NS_SHIFT 50u
#define TIME_TICKS_SHIFT 50u

struct time_scale {
    uint64_t hz;
    uint64_t ps_factor, ns_factor, ticks_factor;
};

/* The scale of a counter; hz is brought into TIME_HZ_MIN … TIME_HZ_MAX. */
struct time_scale time_scale_make(uint64_t hz);

/* value × factor / 2^shift by S1. */
static inline uint64_t time_multiply(uint64_t value, uint64_t factor, unsigned shift)
{
    unsigned __int128 product = (unsigned __int128)value * factor + (1ull << (shift - 1));

    product >>= shift;
    return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

static inline uint64_t time_scale_ps(const struct time_scale *scale, uint64_t ticks)
{
    return ticks > INT64_MAX ? 0 : time_multiply(ticks, scale->ps_factor, TIME_PS_SHIFT);
}

static inline uint64_t time_scale_ns(const struct time_scale *scale, uint64_t ticks)
{
    return ticks > INT64_MAX ? 0 : time_multiply(ticks, scale->ns_factor, TIME_NS_SHIFT);
}

static inline uint64_t time_scale_ticks(const struct time_scale *scale, uint64_t ns)
{
    return time_multiply(ns, scale->ticks_factor, TIME_TICKS_SHIFT);
}

/* The number with the fewest significant decimal digits within value ± error. */
uint64_t time_round_within(uint64_t value, uint64_t error);

#endif
