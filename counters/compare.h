/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing totals, by an approximation when it is sure, precisely otherwise; totals that people
 * see. */
#ifndef COUNTERS_COMPARE_H
#define COUNTERS_COMPARE_H

#include <stdint.h>

static inline int counter_order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/*
 * The order of a total against `value`, when all that is known is that the total lies within
 * `margin` of `approximate`, both ends included: -1 or 1 when that decides it, 0 when it does not.
 * The distance is taken without sign: it is exact over the whole range of int64_t.
 */
static inline int counter_order_within(int64_t approximate, int64_t value, uint64_t margin)
{
    uint64_t distance = approximate > value ? (uint64_t)approximate - (uint64_t)value
                                            : (uint64_t)value - (uint64_t)approximate;

    return distance > margin ? counter_order(approximate, value) : 0;
}

/* What a user is shown of a total that is never negative but may be approximated so, or be read
 * between an update of one CPU and that of another: 0 instead. */
static inline int64_t counter_positive(int64_t value)
{
    return value > 0 ? value : 0;
}

#endif
