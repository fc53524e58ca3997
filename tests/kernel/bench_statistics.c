/* SPDX-License-Identifier: Apache-2.0 */
/* bench/statistics: known vectors, and the interval's ranks against the definition. */
#include "bench/statistics.h"
#include "core/random.h"
#include "core/selftest.h"

#define BRUTE_MAX 40u /* 40 * 2^n fits in 64 bits far beyond it */

static void known_odd_vector(struct ktest *t)
{
    uint64_t values[] = {30, 10, 20, 1000, 40, 25, 35}, scratch[7];
    struct statistics s;

    statistics_of(values, 7, scratch, &s);
    EXPECT_EQ(t, s.count, 7);
    EXPECT_EQ(t, s.median, 30);
    EXPECT_EQ(t, s.min, 10);
    EXPECT_EQ(t, s.max, 1000);
    EXPECT_EQ(t, s.deviation, 10); /* 0 5 5 10 10 20 970 */
    EXPECT_EQ(t, s.error_permyriad, 3333);
    EXPECT(t, s.has_interval); /* n = 7: the first and the last */
    EXPECT_EQ(t, s.low, 10);
    EXPECT_EQ(t, s.high, 1000);
    EXPECT_EQ(t, s.outliers, 1);
    EXPECT(t, statistics_is_outlier(&s, 1000));
    EXPECT(t, !statistics_is_outlier(&s, 80));
}
KTEST(bench_statistics, known_odd_vector, KTEST_QUICK);

static void known_even_vector(struct ktest *t)
{
    uint64_t values[] = {4, 1, 3, 2}, scratch[4];
    struct statistics s;

    statistics_of(values, 4, scratch, &s);
    EXPECT_EQ(t, s.median, 2); /* 2.5, in whole units */
    EXPECT(t, !s.has_interval);
    EXPECT_EQ(t, s.max, 4);
}
KTEST(bench_statistics, known_even_vector, KTEST_QUICK);

static void equal_samples_have_no_spread(struct ktest *t)
{
    uint64_t values[11], scratch[11];
    struct statistics s;

    for (unsigned i = 0; i < 11; i++)
        values[i] = 17250;
    statistics_of(values, 11, scratch, &s);
    EXPECT_EQ(t, s.median, 17250);
    EXPECT_EQ(t, s.error_permyriad, 0);
    EXPECT_EQ(t, s.low, 17250);
    EXPECT_EQ(t, s.high, 17250);
    EXPECT_EQ(t, s.outliers, 0);
}
KTEST(bench_statistics, equal_samples_have_no_spread, KTEST_QUICK);

static void large_values_do_not_wrap(struct ktest *t)
{
    uint64_t values[] = {UINT64_MAX - 2, UINT64_MAX, UINT64_MAX - 1}, scratch[3];
    uint64_t far[] = {UINT64_MAX, 1, UINT64_MAX};
    struct statistics s;

    statistics_of(values, 3, scratch, &s);
    EXPECT(t, s.median == UINT64_MAX - 1);
    EXPECT_EQ(t, s.error_permyriad, 0);
    statistics_of(far, 3, scratch, &s);
    EXPECT(t, s.median == UINT64_MAX);
    EXPECT(t, statistics_is_outlier(&s, 1));
}
KTEST(bench_statistics, large_values_do_not_wrap, KTEST_QUICK);

static void intervals_differ_only_without_overlap(struct ktest *t)
{
    struct statistics a = {.has_interval = true, .low = 10, .high = 20};
    struct statistics b = {.has_interval = true, .low = 20, .high = 30};

    EXPECT(t, !statistics_differ(&a, &b));
    b.low = 21;
    EXPECT(t, statistics_differ(&a, &b));
    EXPECT(t, statistics_differ(&b, &a));
    b.has_interval = false;
    EXPECT(t, !statistics_differ(&a, &b));
}
KTEST(bench_statistics, intervals_differ_only_without_overlap, KTEST_QUICK);

/* C(n, i) by Pascal's triangle, another way than the one under test. */
static uint64_t choose(uint32_t n, uint32_t i)
{
    uint64_t row[BRUTE_MAX + 1] = {1};

    for (uint32_t r = 1; r <= n; r++)
        for (uint32_t c = r; c > 0; c--)
            row[c] += row[c - 1];
    return row[i];
}

/* Whether [k-th smallest, k-th largest] covers the median with 95 %: 1 - 2 sum(C, i < k)/2^n. */
static bool covers(uint32_t n, uint32_t k)
{
    uint64_t outside = 0;

    for (uint32_t i = 0; i < k; i++)
        outside += 2 * choose(n, i);
    return ((1ull << n) - outside) * 20 >= 19 * (1ull << n);
}

static void ranks_are_the_definition(struct ktest *t)
{
    for (uint32_t n = 1; n <= BRUTE_MAX; n++) {
        uint32_t best = 0;

        for (uint32_t k = 1; k <= n / 2; k++)
            if (covers(n, k))
                best = k;
        EXPECT_EQ(t, statistics_interval_rank(n), best);
    }
}
KTEST(bench_statistics, ranks_are_the_definition, KTEST_QUICK);

/* From published tables of the sign test's two-sided 5 % points (k = r + 1), and the normal
 * approximation n/2 - 0.98 sqrt(n) for 1000. */
static void ranks_known_from_tables(struct ktest *t)
{
    EXPECT_EQ(t, statistics_interval_rank(5), 0);
    EXPECT_EQ(t, statistics_interval_rank(6), 1);
    EXPECT_EQ(t, statistics_interval_rank(9), 2);
    EXPECT_EQ(t, statistics_interval_rank(11), 2);
    EXPECT_EQ(t, statistics_interval_rank(21), 6);
    EXPECT_EQ(t, statistics_interval_rank(51), 19);
    EXPECT_EQ(t, statistics_interval_rank(100), 40);
    EXPECT_EQ(t, statistics_interval_rank(1000), 469);
}
KTEST(bench_statistics, ranks_known_from_tables, KTEST_QUICK);

static void sorting_keeps_all(struct ktest *t)
{
    struct random random;
    uint64_t values[64], sum = 0, after = 0;

    random_seed(&random, t->seed);
    for (unsigned i = 0; i < 64; i++)
        sum += values[i] = random_below(&random, 50);
    statistics_sort(values, 64);
    for (unsigned i = 0; i < 64; i++) {
        after += values[i];
        if (i)
            EXPECT(t, values[i - 1] <= values[i]);
    }
    EXPECT_EQ(t, after, sum);
}
KTEST(bench_statistics, sorting_keeps_all, KTEST_QUICK);
