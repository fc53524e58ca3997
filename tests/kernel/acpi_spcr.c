/* SPDX-License-Identifier: Apache-2.0 */
/* SPCR: the serial console of firmware, drivers/acpi_spcr.h. */
#include "core/errno.h"
#include "core/selftest.h"
#include "drivers/acpi_spcr.h"
#include "tests/kernel/acpi_made.h"

static struct boot_console parse_spcr(struct ktest *t, uint8_t interface, uint8_t space,
                                      uint8_t bit_width, uint8_t access, uint64_t address)
{
    struct made m = made_table("SPCR", 2, 80);
    struct acpi_issues issues = {.quiet = true};
    struct boot_console out;

    m.at[36] = interface;
    m.at[40] = space;
    m.at[41] = bit_width;
    m.at[43] = access;
    memcpy(m.at + 44, &address, 8);
    EXPECT_EQ(t, acpi_spcr_parse(m.at, m.bytes, &out, &issues), 0);
    return out;
}

static void spcr_names_the_uart(struct ktest *t)
{
    struct boot_console c = parse_spcr(t, 0x03, 0, 32, 3, 0x9000000);

    EXPECT_EQ(t, c.kind, BOOT_CONSOLE_PL011);
    EXPECT_EQ(t, c.phys, 0x9000000);
    EXPECT_EQ(t, parse_spcr(t, 0x0e, 0, 32, 3, 4096).kind, BOOT_CONSOLE_PL011);
    c = parse_spcr(t, 0x12, 0, 32, 3, 0xfe201000);
    EXPECT_EQ(t, c.kind, BOOT_CONSOLE_16550);
    EXPECT_EQ(t, c.register_shift, 2);
    EXPECT_EQ(t, c.register_bytes, 4);
    c = parse_spcr(t, 0x00, 0, 16, 0, 4096); /* no access size: the width */
    EXPECT_EQ(t, c.register_shift, 1);
    EXPECT_EQ(t, c.register_bytes, 2);
    EXPECT_EQ(t, parse_spcr(t, 0x01, 0, 8, 1, 4096).register_bytes, 1);
}
KTEST(acpi_spcr, spcr_names_the_uart, KTEST_QUICK);

static void others_are_passed_over(struct ktest *t)
{
    struct made m = made_table("SPCR", 1, 79);
    struct acpi_issues issues = {.quiet = true};
    struct boot_console out;

    EXPECT_EQ(t, parse_spcr(t, 0x00, 1, 8, 1, 0x3f8).kind, BOOT_CONSOLE_NONE); /* port I/O */
    EXPECT_EQ(t, parse_spcr(t, 0x03, 0, 32, 3, 0).kind, BOOT_CONSOLE_NONE);
    EXPECT_EQ(t, parse_spcr(t, 0x15, 0, 32, 3, 4096).kind, BOOT_CONSOLE_NONE);
    EXPECT_EQ(t, acpi_spcr_parse(m.at, m.bytes, &out, &issues), -CS_EINVAL);
    EXPECT_EQ(t, issues.count, 1);
}
KTEST(acpi_spcr, others_are_passed_over, KTEST_QUICK);
