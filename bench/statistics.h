/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Summary of a set of samples, in integers of the samples' own unit.
 *
 * No assumption about how samples are distributed: the middle is the median, the spread is the
 * median of the distances from it, the interval comes from order statistics. Nothing is dropped.
 */
#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

#include "core/compiler.h"

#define STATISTICS_MAX_SAMPLES 1000u

struct statistics {
    uint32_t count;
    uint64_t median, min, max;
    uint64_t deviation;       /* median of |sample - median| */
    uint32_t error_permyriad; /* MdAPE: deviation / median, in 0.01 % */
    bool has_interval;        /* false with fewer than 6 samples */
    uint64_t low, high;       /* 95 % interval of the median, when there is one */
    uint32_t outliers;        /* samples for which statistics_is_outlier() holds */
};

/* Sorts `values` in place. count: 1 … STATISTICS_MAX_SAMPLES. `scratch`: room for count values. */
void statistics_of(uint64_t *values, uint32_t count, uint64_t *scratch, struct statistics *out);

/* Further than 5 deviations and 1 % from the median: to be marked, never to be dropped. */
bool statistics_is_outlier(const struct statistics *s, uint64_t value);

/* Whether the two 95 % intervals exist and have no value in common. */
bool statistics_differ(const struct statistics *a, const struct statistics *b);

/*
 * The largest k for which [k-th smallest, k-th largest] of n samples holds the median with a
 * probability of at least 95 %, whatever the distribution: 1 - 2 P(B < k) >= 0.95 for B binomial
 * (n, 1/2). 0 when there is none (n < 6). Exact, by whole numbers: 40 sum(C(n, i), i < k) <= 2^n.
 * (H. A. David, H. N. Nagaraja: Order Statistics, 3rd ed., section 7.1.)
 */
uint32_t statistics_interval_rank(uint32_t n);

void statistics_sort(uint64_t *values, uint32_t count);

#endif
