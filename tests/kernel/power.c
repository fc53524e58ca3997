/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which ways out of a machine are tried, core/power.h. */
#include "core/power.h"

#include "core/selftest.h"

static char tried[8];
static unsigned nr_tried;
static bool told;

static void leave(char name, bool pass)
{
    if (nr_tried < sizeof(tried))
        tried[nr_tried++] = name;
    told = pass;
}

static void leave_a(bool pass)
{
    leave('a', pass);
}

static void leave_b(bool pass)
{
    leave('b', pass);
}

static void leave_c(bool pass)
{
    leave('c', pass);
}

static void each_is_tried_once(struct ktest *t)
{
    static const struct power_method a = {.name = "a", .rank = 50, .leave = leave_a},
                                     b = {.name = "b", .rank = 100, .leave = leave_b},
                                     c = {.name = "c", .rank = 50, .leave = leave_c};
    static const struct power_method *const methods[] = {&a, &b, &c};

    nr_tried = 0;
    EXPECT_EQ(t, power_try(methods, methods + ARRAY_LEN(methods), true), 3);
    EXPECT(t, nr_tried == 3 && tried[0] == 'b' && tried[1] == 'a' && tried[2] == 'c' && told);
    EXPECT_EQ(t, power_try(methods, methods, false), 0);
    EXPECT_EQ(t, nr_tried, 3);
    EXPECT_EQ(t, power_try(methods, methods + 1, false), 1);
    EXPECT(t, !told);
}
KTEST(power, each_is_tried_once, KTEST_QUICK);
