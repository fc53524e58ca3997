/* SPDX-License-Identifier: Apache-2.0 */
/* SPCR and DBG2: the serial ports that firmware names, drivers/acpi_spcr.h. */
#include "core/errno.h"
#include "core/random.h"
#include "core/selftest.h"
#include "drivers/acpi_spcr.h"
#include "tests/kernel/acpi_made.h"

static struct serial_port parse_spcr(struct ktest *t, uint8_t interface, uint8_t space,
                                     uint8_t bit_width, uint8_t access, uint64_t address)
{
    struct made m = made_table("SPCR", 2, 80);
    struct acpi_issues issues = {.quiet = true};
    struct serial_port out;

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
    struct serial_port c = parse_spcr(t, 0x03, 0, 32, 3, 0x9000000);

    EXPECT_EQ(t, c.kind, SERIAL_PL011);
    EXPECT_EQ(t, c.address, 0x9000000);
    EXPECT_EQ(t, parse_spcr(t, 0x0e, 0, 32, 3, 4096).kind, SERIAL_PL011);
    c = parse_spcr(t, 0x12, 0, 32, 3, 0xfe201000);
    EXPECT_EQ(t, c.kind, SERIAL_16550);
    EXPECT_EQ(t, c.register_shift, 2);
    EXPECT_EQ(t, c.access_bytes, 4);
    c = parse_spcr(t, 0x00, 0, 16, 0, 4096); /* no access size: the width */
    EXPECT_EQ(t, c.register_shift, 1);
    EXPECT_EQ(t, c.access_bytes, 2);
    EXPECT_EQ(t, parse_spcr(t, 0x01, 0, 8, 1, 4096).access_bytes, 1);
    c = parse_spcr(t, 0x12, 0, 32, 1, 4096); /* bytes, four apart */
    EXPECT_EQ(t, c.register_shift, 2);
    EXPECT_EQ(t, c.access_bytes, 1);
    c = parse_spcr(t, 0x00, 1, 8, 1, 0x2f8);
    EXPECT(t, c.kind == SERIAL_16550 && c.is_io && c.address == 0x2f8 && !c.divisor);
}
KTEST(acpi_spcr, spcr_names_the_uart, KTEST_QUICK);

static void others_are_passed_over(struct ktest *t)
{
    struct made m = made_table("SPCR", 1, 79);
    struct acpi_issues issues = {.quiet = true};
    struct serial_port out;

    EXPECT_EQ(t, parse_spcr(t, 0x00, 1, 8, 1, 0xfff9).kind, SERIAL_NONE); /* ends past the ports */
    EXPECT_EQ(t, parse_spcr(t, 0x00, 3, 8, 1, 0x3f8).kind, SERIAL_NONE);  /* SMBus */
    EXPECT_EQ(t, parse_spcr(t, 0x00, 0, 32, 3, 4098).kind, SERIAL_NONE);  /* not aligned */
    EXPECT_EQ(t, parse_spcr(t, 0x03, 0, 32, 3, 0).kind, SERIAL_NONE);
    EXPECT_EQ(t, parse_spcr(t, 0x15, 0, 32, 3, 4096).kind, SERIAL_NONE);
    EXPECT_EQ(t, acpi_spcr_parse(m.at, m.bytes, &out, &issues), -CS_EINVAL);
    EXPECT_EQ(t, issues.count, 1);
}
KTEST(acpi_spcr, others_are_passed_over, KTEST_QUICK);

/* A device of DBG2 with its address at `at` inside it. */
static void made_device(struct made *m, uint16_t type, uint16_t subtype, uint16_t at,
                        uint64_t address)
{
    uint8_t device[40] = {0, sizeof(device), 0, 1};

    memcpy(device + 12, &type, 2);
    memcpy(device + 14, &subtype, 2);
    memcpy(device + 18, &at, 2);
    device[22 + 1] = 32;
    device[22 + 3] = 3;
    memcpy(device + 22 + 4, &address, 8);
    made_append(m, device, sizeof(device));
}

static unsigned nr_ports;
static struct serial_port last_port;

static void see_port(void *arg, const struct serial_port *port)
{
    nr_ports++;
    last_port = *port;
}

static unsigned parse_dbg2(const struct made *m)
{
    struct acpi_issues issues = {.quiet = true};

    nr_ports = 0;
    acpi_dbg2_parse(m->at, m->bytes, see_port, NULL, &issues);
    return issues.count;
}

static void dbg2_lists_ports(struct ktest *t)
{
    struct made m = made_table("DBG2", 0, 44);

    m.at[36] = 44;
    m.at[40] = 4;
    made_device(&m, 0x8000, 0x03, 22, 0x9000000);
    made_device(&m, 0x8002, 0x00, 22, 0x1000); /* USB */
    made_device(&m, 0x8000, 0x00, 22, 0x2000);
    made_device(&m, 0x8000, 0x00, 30, 0x3000); /* its address would end behind it */
    EXPECT_EQ(t, parse_dbg2(&m), 1);
    EXPECT_EQ(t, nr_ports, 2);
    EXPECT_EQ(t, last_port.address, 0x2000);
    EXPECT_EQ(t, last_port.register_shift, 2);
    m.at[40] = 5; /* one more than there is */
    EXPECT_EQ(t, parse_dbg2(&m), 2);
    m.at[45] = 0; /* a device without length */
    EXPECT_EQ(t, parse_dbg2(&m), 1);
    EXPECT_EQ(t, nr_ports, 0);
    m.at[36] = 200;
    m.at[37] = 200; /* devices behind the table */
    EXPECT_EQ(t, parse_dbg2(&m), 1);
    m.bytes = 40;
    EXPECT_EQ(t, parse_dbg2(&m), 1);
}
KTEST(acpi_spcr, dbg2_lists_ports, KTEST_QUICK);

static void any_bytes_are_survived(struct ktest *t)
{
    struct random random;
    bool sane = true;

    random_seed(&random, t->seed);
    for (unsigned round = 0; round < (t->full ? 100000u : 500u); round++) {
        struct made m = made_table("DBG2", 0, 44 + random_below(&random, 200));
        struct acpi_issues issues = {.quiet = true};
        struct serial_port port;

        for (size_t i = 36; i < m.bytes; i++)
            m.at[i] = (uint8_t)random_below(&random, random_below(&random, 2) ? 50 : 256);
        m.at[37] = m.at[38] = m.at[39] = 0;
        (void)parse_dbg2(&m);
        sane &= nr_ports <= m.bytes / 22;
        if (acpi_spcr_parse(m.at, m.bytes, &port, &issues) == 0 && port.kind != SERIAL_NONE)
            sane &= port.register_shift <= 2 && port.access_bytes <= 4 && port.address != 0;
    }
    EXPECT(t, sane);
}
KTEST(acpi_spcr, any_bytes_are_survived, KTEST_QUICK);
