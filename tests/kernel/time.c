/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of stamps (S1, S2 of core/time_scale.h), calibration arithmetic, and the clock
 * itself. */
#include "core/random.h"
#include "core/selftest.h"
#include "core/string.h"
#include "core/time.h"
#include "core/time_calibrate.h"
#include "core/time_choose.h"
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
    EXPECT(t,
           m.error_hz > 2400000000ull / 1000000 * 8 && m.error_hz < 2400000000ull / 1000000 * 16);
    EXPECT_EQ(t, time_rate(57600000, 500, 0, 14318180).hz, 0);
    /* Numbers that 64 bits do not hold at once. */
    m = time_rate(100000000000ull, 10, 10000000000ull, 10000000000ull);
    EXPECT(t, time_ppm(m.hz, 100000000000ull) <= 1);
}
KTEST(time, rate_of_two_brackets, KTEST_QUICK);

static void best_reference_is_taken(struct ktest *t)
{
    const struct time_measured m[2] = {{"a", 2394374123, 30000}, {"b", 2394300000, 900000}};
    struct time_choice c = time_choose(m, 2, 0, NULL);

    EXPECT(t, c.hz == 2394400000 && c.source == m[0].name && c.known && c.checked);
    EXPECT_EQ(t, c.error_ppm, 12);
}
KTEST(time, best_reference_is_taken, KTEST_QUICK);

static void claim_is_taken_when_confirmed(struct ktest *t)
{
    const struct time_measured m[1] = {{"a", 2394374123, 30000}};
    struct time_choice c = time_choose(m, 1, 2394375000, "claim");

    EXPECT(t, c.hz == 2394375000 && !strcmp(c.source, "claim") && c.checked);
    c = time_choose(m, 1, 2400000000, "claim"); /* 0.23 % off: not what was built */
    EXPECT(t, c.hz == 2394400000 && !strcmp(c.source, "a"));
    c = time_choose(m, 0, 2400000000, "claim");
    EXPECT(t, c.hz == 2400000000 && c.known && !c.checked);
}
KTEST(time, claim_is_taken_when_confirmed, KTEST_QUICK);

/* A reference that contradicts all others is outvoted, whatever its rank. */
static void odd_reference_is_outvoted(struct ktest *t)
{
    const struct time_measured m[3] = {
        {"odd", 3000000000, 1000}, {"dead", 0, 0}, {"good", 2000000000, 1000}};
    const struct time_measured n[3] = {
        {"odd", 3000000000, 1000}, {"good", 2000000000, 1000}, {"witness", 2000100000, 1000}};

    EXPECT_EQ(t, time_choose(m, 3, 2000000000, "claim").hz, 2000000000);
    EXPECT_EQ(t, time_choose(n, 3, 0, NULL).hz, 2000000000);
    EXPECT_EQ(t, time_choose(m, 3, 0, NULL).hz, 3000000000); /* nobody to decide: by rank */
}
KTEST(time, odd_reference_is_outvoted, KTEST_QUICK);

static void nothing_is_called_unknown(struct ktest *t)
{
    const struct time_measured dead[1] = {{"dead", 0, 0}};
    struct time_choice c = time_choose(dead, 1, 0, NULL);

    EXPECT(t, c.hz == TIME_UNKNOWN_HZ && !c.known && !c.checked);
}
KTEST(time, nothing_is_called_unknown, KTEST_QUICK);

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
