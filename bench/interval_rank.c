/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of the median's 95 % interval, from exact binomial sums. See bench/statistics.h.
 *
 * C(1000, 500) has 995 bits: numbers are arrays of 32-bit digits, lowest first.
 *
 * I1. Every number here stays below 2^(n+6) <= 2^1006, so that no carry leaves the array.
 */
#include "bench/statistics.h"

#include "core/panic.h"

#define DIGITS 33u
_Static_assert(DIGITS * 32u >= STATISTICS_MAX_SAMPLES + 6u, "I1");

struct big {
    uint32_t digit[DIGITS];
};

static void big_multiply(struct big *x, uint32_t factor)
{
    uint64_t carry = 0;

    for (uint32_t i = 0; i < DIGITS; i++) {
        carry += (uint64_t)x->digit[i] * factor;
        x->digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void big_divide(struct big *x, uint32_t divisor)
{
    uint64_t rest = 0;

    for (uint32_t i = DIGITS; i-- > 0;) {
        rest = rest << 32 | x->digit[i];
        x->digit[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
}

static void big_add(struct big *x, const struct big *y)
{
    uint64_t carry = 0;

    for (uint32_t i = 0; i < DIGITS; i++) {
        carry += (uint64_t)x->digit[i] + y->digit[i];
        x->digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* x < 2^bits */
static bool big_fits(const struct big *x, uint32_t bits)
{
    if (x->digit[bits / 32] >> (bits % 32))
        return false;
    for (uint32_t i = bits / 32 + 1; i < DIGITS; i++)
        if (x->digit[i])
            return false;
    return true;
}

/* 40 x <= 2^n, which is 40 x < 2^n: 40 has a factor 5. */
static bool tail_is_small(const struct big *sum, uint32_t n)
{
    struct big product = *sum;

    big_multiply(&product, 40);
    return big_fits(&product, n);
}

uint32_t statistics_interval_rank(uint32_t n)
{
    struct big term = {{1}}, sum = {{1}}; /* C(n, 0) and the sum up to it */
    uint32_t k = 0;

    ASSERT(n <= STATISTICS_MAX_SAMPLES);
    while (k < n / 2 && tail_is_small(&sum, n)) {
        k++;
        big_multiply(&term, n - k + 1); /* C(n, k) = C(n, k-1) (n-k+1) / k: exact */
        big_divide(&term, k);
        big_add(&sum, &term);
    }
    return k;
}
