/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 against the check value of the catalogue of parametrised CRC algorithms (RevEng). */
#include "core/crc32.h"

#include "core/selftest.h"

static void check_value(struct ktest *t)
{
    EXPECT_EQ(t, crc32_add(0, "123456789", 9), 0xcbf43926u);
    EXPECT_EQ(t, crc32_add(0, "", 0), 0);
}

static void chains(struct ktest *t)
{
    uint32_t crc = 0;

    for (unsigned i = 0; i < 9; i++)
        crc = crc32_add(crc, &"123456789"[i], 1);
    EXPECT_EQ(t, crc, 0xcbf43926u);
}

KTEST(crc32, check_value, KTEST_QUICK);
KTEST(crc32, chains, KTEST_QUICK);
