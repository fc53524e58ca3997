/* SPDX-License-Identifier: Apache-2.0 */
/* The string functions against byte-wise models, at every alignment and around the word size. */
#include "core/string.h"

#include "core/selftest.h"

#define SPAN 80u

static void fill_counting(uint8_t *at)
{
    for (unsigned i = 0; i < SPAN; i++)
        at[i] = (uint8_t)(i * 7 + 1);
}

static bool same_as_moved(const uint8_t *got, unsigned to, unsigned from, unsigned bytes)
{
    uint8_t model[SPAN];

    fill_counting(model);
    for (unsigned i = 0; i < bytes; i++)
        model[to + i] = (uint8_t)((from + i) * 7 + 1);
    for (unsigned i = 0; i < SPAN; i++)
        if (got[i] != model[i])
            return false;
    return true;
}

static void moves_overlap(struct ktest *t)
{
    uint8_t bytes[SPAN];

    for (unsigned to = 0; to < 20; to++)
        for (unsigned from = 0; from < 20; from++)
            for (unsigned n = 0; n < 50; n += 7) {
                fill_counting(bytes);
                memmove(bytes + to, bytes + from, n);
                EXPECT(t, same_as_moved(bytes, to, from, n));
            }
}

static void copies_at_every_alignment(struct ktest *t)
{
    uint8_t from[SPAN], to[SPAN];

    fill_counting(from);
    for (unsigned at = 0; at < 9; at++)
        for (unsigned n = 0; n < 40; n++) {
            memset(to, 0, SPAN);
            memcpy(to + at, from, n);
            EXPECT_EQ(t, memcmp(to + at, from, n), 0);
            EXPECT_EQ(t, to[at + n], 0);
        }
}

static void sets_exactly(struct ktest *t)
{
    uint8_t bytes[SPAN];

    for (unsigned n = 0; n < SPAN - 2; n++) {
        fill_counting(bytes);
        memset(bytes + 1, 0xa5, n);
        EXPECT_EQ(t, bytes[0], 1);
        EXPECT_EQ(t, bytes[n + 1], (uint8_t)((n + 1) * 7 + 1));
        EXPECT(t, n == 0 || (bytes[1] == 0xa5 && bytes[n] == 0xa5));
    }
}

static void compares_texts(struct ktest *t)
{
    EXPECT(t, strcmp("abc", "abd") < 0 && strcmp("b", "abc") > 0 && strcmp("", "") == 0);
    EXPECT(t, strncmp("abcX", "abcY", 3) == 0 && strncmp("ab", "abc", 3) < 0);
    EXPECT(t, *strchr("a=b", '=') == '=' && !strchr("ab", '='));
    EXPECT(t, strnlen("abc", 2) == 2 && strlen("abc") == 3);
}

KTEST(string, moves_overlap, KTEST_QUICK);
KTEST(string, copies_at_every_alignment, KTEST_QUICK);
KTEST(string, sets_exactly, KTEST_QUICK);
KTEST(string, compares_texts, KTEST_QUICK);
