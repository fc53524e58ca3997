/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, words and lists of the command line. What is reported to the user is tested from outside
 * (tests/qemu/test_parameters.py), since a report here would count as an error of the run. */
#include "core/param.h"

#include "core/errno.h"
#include "core/selftest.h"
#include "core/string.h"

static void numbers(struct ktest *t)
{
    static const struct {
        const char *text;
        int error;
        int64_t value;
    } cases[] = {
        {"0", 0, 0},
        {"42", 0, 42},
        {"-7", 0, -7},
        {"0x1F", 0, 31},
        {"4k", 0, 4096},
        {"2M", 0, 2 << 20},
        {"1G", 0, 1 << 30},
        {"9223372036854775807", 0, INT64_MAX},
        {"9223372036854775808", -CS_ERANGE, 0},
        {"99999999999999999999", -CS_ERANGE, 0},
        {"9007199254740993T", -CS_ERANGE, 0},
        {"", -CS_EINVAL, 0},
        {"-", -CS_EINVAL, 0},
        {"0x", -CS_EINVAL, 0},
        {"12z", -CS_EINVAL, 0},
        {"1 2", -CS_EINVAL, 0},
        {"k", -CS_EINVAL, 0},
        {"1kk", -CS_EINVAL, 0},
    };

    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t value = 0;
        int error = param_number(cases[i].text, &value);

        ktest_check(t, error == cases[i].error && value == cases[i].value, __FILE__, __LINE__,
                    "\"%s\" gave %s %lld", cases[i].text, errno_name(error), (long long)value);
    }
}

static void lists(struct ktest *t)
{
    EXPECT(t, param_list_has("a,bc,d", "a") && param_list_has("a,bc,d", "bc"));
    EXPECT(t, param_list_has("a,bc,d", "d") && !param_list_has("a,bc,d", "b"));
    EXPECT(t, !param_list_has("", "a") && !param_list_has("abc", "ab"));
}

static void words(struct ktest *t)
{
    static const char *const want[] = {"a=1", "b=x y", "c", "d=it's", "e="};
    char text[] = "  a=1 b=\"x y\"\tc d=\"it's\" e=''  ";
    char *at = text;

    for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
        const char *word = param_next_word(&at);

        EXPECT(t, word && !strcmp(word, want[i]));
    }
    EXPECT(t, !param_next_word(&at));
}

KTEST(param, numbers, KTEST_QUICK);
KTEST(param, lists, KTEST_QUICK);
KTEST(param, words, KTEST_QUICK);
