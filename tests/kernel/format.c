/* SPDX-License-Identifier: Apache-2.0 */
/* printf into a buffer: every directive, every flag, the edges of buffers. */
#include "core/format.h"

#include <limits.h>

#include "core/selftest.h"
#include "core/string.h"

static void expect_text(struct ktest *t, const char *want, const char *format, ...)
    printf_like(3, 4);

static void expect_text(struct ktest *t, const char *want, const char *format, ...)
{
    char text[100];
    va_list args;
    size_t length;

    va_start(args, format);
    length = format_text_v(text, sizeof(text), format, args);
    va_end(args);
    ktest_check(t, !strcmp(text, want), __FILE__, __LINE__, "\"%s\" gave \"%s\", expected \"%s\"",
                format, text, want);
    EXPECT_EQ(t, length, strlen(want));
}

static void integers(struct ktest *t)
{
    expect_text(t, "0", "%d", 0);
    expect_text(t, "-2147483648", "%d", INT_MIN);
    expect_text(t, "-9223372036854775808", "%lld", LLONG_MIN);
    expect_text(t, "18446744073709551615", "%llu", ULLONG_MAX);
    expect_text(t, "   42|42   |00042|+42| 42", "%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42);
    expect_text(t, "-0042", "%05d", -42);
    expect_text(t, "0xff|FF|0", "%#x|%X|%#x", 255, 255, 0);
    expect_text(t, "-1|65535|255", "%hhd|%hu|%hhu", (signed char)-1, (unsigned short)65535,
                (unsigned char)255);
    expect_text(t, "007|  007", "%.3d|%5.3d", 7, 7);
    expect_text(t, "   7|7   ", "%*d|%-*d", 4, 7, 4, 7);
    expect_text(t, "123456", "%zu", (size_t)123456);
}

static void strings(struct ktest *t)
{
    expect_text(t, "ab|  ab|ab  |a", "%s|%4s|%-4s|%.1s", "ab", "ab", "ab", "ab");
    expect_text(t, "xy%", "%c%s%%", 'x', "y");
    expect_text(t, "abc", "%.*s", 3, "abcdef");
}

static void buffers_end_terminated(struct ktest *t)
{
    char text[8];

    EXPECT_EQ(t, format_text(text, 4, "%s", "abcdef"), 6);
    EXPECT_EQ(t, strcmp(text, "abc"), 0);
    text[0] = 'z';
    EXPECT_EQ(t, format_text(text, 1, "%d", 5), 1);
    EXPECT_EQ(t, text[0], 0);
    text[0] = 'z';
    EXPECT_EQ(t, format_text(text, 0, "%d", 5), 1);
    EXPECT_EQ(t, text[0], 'z');
}

static void thousandths(struct ktest *t)
{
    static const struct {
        int64_t milli;
        unsigned decimals;
        const char *want;
    } cases[] = {
        {12345, 1, "12.3"}, {12350, 1, "12.4"}, {-12350, 1, "-12.4"}, {999999, 2, "1000.00"},
        {5, 3, "0.005"},    {-4, 2, "0.00"},    {-500, 0, "-1"},      {0, 0, "0"},
    };

    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        char text[FORMAT_MILLI_BYTES];

        format_milli(text, cases[i].milli, cases[i].decimals);
        ktest_check(t, !strcmp(text, cases[i].want), __FILE__, __LINE__, "%lld gave %s not %s",
                    (long long)cases[i].milli, text, cases[i].want);
    }
}

KTEST(format, integers, KTEST_QUICK);
KTEST(format, strings, KTEST_QUICK);
KTEST(format, buffers_end_terminated, KTEST_QUICK);
KTEST(format, thousandths, KTEST_QUICK);
