/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of stamps (S1, S2 of core/time_scale.h), calibration arithmetic, and the clock itself. */
#include "core/random.h"
#include "core/selftest.h"
#include "core/time.h"
#include "core/time_calibrate.h"
#include "core/time_scale.h"

#define DAY_NS 86400000000000ull

static void scale_at_1_ghz_is_exact(struct ktest *t)
{
    struct time_scale scale = time_scale_make(1000000000);

    for (uint64_t n = 1; n < 1ull << 53; n *= 7) {
        EXPECT_EQ(t, time_scale_ns(&scale, n), n);
        EXPECT_EQ(t, time_scale_ticks(&scale, n), n);
        EXPECT_EQ(t, time_scale_ps(&scale, n), n * 1000);
    }
}
KTEST(time, scale_at_1_ghz_is_exact, KTEST_QUICK);

static void scale_rounds_to_nearest(struct ktest *t)
{
    struct time_scale scale = time_scale_make(3000000000);

    EXPECT_EQ(t, time_scale_ps(&scale, 1), 333);
    EXPECT_EQ(t, time_scale_ps(&scale, 2), 667);
    EXPECT_EQ(t, time_scale_ps(&scale, 3), 1000);
    EXPECT_EQ(t, time_scale_ns(&scale, 1), 0);
    EXPECT_EQ(t, time_scale_ns(&scale, 2), 1);
    EXPECT_EQ(t, time_scale_ticks(&scale, 1), 3);
    scale = time_scale_make(1000000); /* arm64 with an odd CNTFRQ */
    EXPECT_EQ(t, time_scale_ps(&scale, 1), 1000000);
    EXPECT_EQ(t, time_scale_ns(&scale, 7), 7000);
    EXPECT_EQ(t, time_scale_ticks(&scale, 499), 0);
    EXPECT_EQ(t, time_scale_ticks(&scale, 501), 1);
}
KTEST(time, scale_rounds_to_nearest, KTEST_QUICK);

static void scale_does_not_overflow(struct ktest *t)
{
    struct time_scale fast = time_scale_make(TIME_HZ_MAX), slow = time_scale_make(TIME_HZ_MIN);

    EXPECT(t, time_scale_ps(&slow, INT64_MAX) == UINT64_MAX);
    EXPECT(t, time_scale_ns(&slow, INT64_MAX) == UINT64_MAX);
    EXPECT(t, time_scale_ticks(&fast, UINT64_MAX) == UINT64_MAX);
    EXPECT_EQ(t, time_scale_ps(&fast, UINT64_MAX), 0); /* S2 */
    EXPECT_EQ(t, time_scale_ns(&slow, 1ull << 63), 0);
    EXPECT_EQ(t, time_scale_make(0).hz, TIME_HZ_MIN);
    EXPECT(t, time_scale_make(UINT64_MAX).hz == TIME_HZ_MAX);
}
KTEST(time, scale_does_not_overflow, KTEST_QUICK);

/* A day there and back is off by less than 100 ns at any rate of a real machine. */
static void scale_is_good_for_days(struct ktest *t)
{
    struct random random;

    random_seed(&random, t->seed);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t hz = 1000000 + random_next(&random) % 9000000000ull;
        struct time_scale scale = time_scale_make(hz);
        uint64_t ticks = hz * 86400;
        uint64_t ns = time_scale_ns(&scale, ticks), ps = time_scale_ps(&scale, ticks);

        EXPECT(t, ns > DAY_NS - 100 && ns < DAY_NS + 100);
        EXPECT(t, ps / 1000 > DAY_NS - 100 && ps / 1000 < DAY_NS + 100);
        EXPECT(t, time_ppm(time_scale_ticks(&scale, DAY_NS), ticks) == 0);
    }
}
KTEST(time, scale_is_good_for_days, KTEST_QUICK);

static void rates_round_to_their_error(struct ktest *t)
{
    EXPECT_EQ(t, time_round_within(2399991234, 20000), 2400000000);
    EXPECT_EQ(t, time_round_within(2394374123, 30000), 2394400000);
    EXPECT_EQ(t, time_round_within(1000003900, 4000), 1000000000);
    EXPECT_EQ(t, time_round_within(1000004100, 4000), 1000004000);
    EXPECT_EQ(t, time_round_within(1234567, 0), 1234567);
}
KTEST(time, rates_round_to_their_error, KTEST_QUICK);

static void rate_of_two_brackets(struct ktest *t)
{
    /* 24 ms at 2.4 GHz by an HPET of 14.318180 MHz. */
    struct time_measured m = time_rate(57600000, 500, 343636, 14318180);

    EXPECT(t, time_ppm(m.hz, 2400000000) <= 2);
    EXPECT(t, m.error_hz > 2400000000ull / 1000000 * 8 && m.error_hz < 2400000000ull / 1000000 * 16);
    EXPECT_EQ(t, time_rate(57600000, 500, 0, 14318180).hz, 0);
    /* Numbers that 64 bits do not hold at once. */
    m = time_rate(100000000000ull, 10, 10000000000ull, 10000000000ull);
    EXPECT(t, time_ppm(m.hz, 100000000000ull) <= 1);
}
KTEST(time, rate_of_two_brackets, KTEST_QUICK);

static void delay_lasts(struct ktest *t)
{
    uint64_t start = arch_stamp();

    time_delay_ns(100000);
    EXPECT(t, time_ticks_to_ns(arch_stamp() - start) >= 100000);
}
KTEST(time, delay_lasts, KTEST_QUICK);

static void stamp_never_goes_back(struct ktest *t)
{
    uint64_t last = arch_stamp();
    unsigned backwards = 0;

    for (unsigned i = 0; i < 1000; i++) {
        uint64_t now = arch_stamp();

        backwards += now < last;
        last = now;
    }
    EXPECT_EQ(t, backwards, 0);
}
KTEST(time, stamp_never_goes_back, KTEST_QUICK);
