/* SPDX-License-Identifier: Apache-2.0 */
/* ACPI root pointer, root table, FADT and _S5_, and any bytes at all for every parser: I1–I3 of
 * drivers/acpi_format.h. */
#include "core/random.h"
#include "core/selftest.h"
#include "drivers/acpi_fadt.h"
#include "drivers/acpi_madt.h"
#include "drivers/acpi_srat.h"
#include "tests/kernel/acpi_made.h"

#define FUZZ_BYTES_MAX 400u
#define FUZZ_ROUNDS_QUICK 500u
#define FUZZ_ROUNDS_FULL 200000u

static void table_length_and_checksum(struct ktest *t)
{
    struct acpi_issues issues = {.quiet = true};
    struct made m = made_table("APIC", 3, 44);

    made_close(&m);
    EXPECT(t, acpi_table_is_good(m.at, m.bytes, &issues));
    EXPECT(t, !acpi_table_is_good(m.at, m.bytes - 1, &issues));
    m.at[40]++;
    EXPECT(t, !acpi_table_is_good(m.at, m.bytes, &issues));
    EXPECT_EQ(t, issues.count, 2);
    EXPECT(t, !acpi_table_is_good(m.at + m.bytes - 8, 8, &issues));
}
KTEST(acpi, table_length_and_checksum, KTEST_QUICK);

static void made_rsdp(uint8_t p[36], unsigned revision)
{
    memset(p, 0, 36);
    memcpy(p, "RSD PTR ", 8);
    p[15] = (uint8_t)revision;
    p[16] = 0x40; /* RSDT at 0x40 */
    p[20] = 36;
    p[24] = 0x80; /* XSDT at 0x80 */
    p[8] = (uint8_t)-acpi_sum(p, 20);
    p[32] = (uint8_t)-acpi_sum(p, 36);
}

static void rsdp_of_both_revisions(struct ktest *t)
{
    struct acpi_issues issues = {.quiet = true};
    struct acpi_rsdp rsdp;
    uint8_t p[36];

    made_rsdp(p, 0);
    EXPECT_EQ(t, acpi_rsdp_parse(p, 20, &rsdp, &issues), 0);
    EXPECT(t, rsdp.rsdt_phys == 0x40 && rsdp.xsdt_phys == 0);
    made_rsdp(p, 2);
    EXPECT_EQ(t, acpi_rsdp_parse(p, 36, &rsdp, &issues), 0);
    EXPECT(t, rsdp.rsdt_phys == 0x40 && rsdp.xsdt_phys == 0x80);
    EXPECT_EQ(t, issues.count, 0);
    p[33]++; /* the extended checksum alone is wrong: the RSDT stays */
    EXPECT_EQ(t, acpi_rsdp_parse(p, 36, &rsdp, &issues), 0);
    EXPECT(t, rsdp.rsdt_phys == 0x40 && rsdp.xsdt_phys == 0);
    EXPECT_EQ(t, issues.count, 1);
    p[9]++;
    EXPECT(t, acpi_rsdp_parse(p, 36, &rsdp, &issues) != 0);
    EXPECT(t, acpi_rsdp_parse(p, 19, &rsdp, &issues) != 0);
}
KTEST(acpi, rsdp_of_both_revisions, KTEST_QUICK);

static void root_entries_end_with_the_table(struct ktest *t)
{
    struct made m = made_table("XSDT", 1, 36 + 20); /* two and a half entries */

    m.at[36] = 1;
    m.at[44] = 2;
    EXPECT_EQ(t, acpi_root_entry(m.at, m.bytes, 8, 0), 1);
    EXPECT_EQ(t, acpi_root_entry(m.at, m.bytes, 8, 1), 2);
    EXPECT_EQ(t, acpi_root_entry(m.at, m.bytes, 8, 2), 0);
    EXPECT_EQ(t, acpi_root_entry(m.at, m.bytes, 4, 2), 2);
    EXPECT_EQ(t, acpi_root_entry(m.at, m.bytes, 8, UINT32_MAX), 0);
}
KTEST(acpi, root_entries_end_with_the_table, KTEST_QUICK);

static void fadt_old_and_new_registers(struct ktest *t)
{
    struct acpi_issues issues = {.quiet = true};
    struct acpi_fadt fadt;
    struct made m = made_table("FACP", 1, 116);

    made_u32(&m, 40, 0x1000);
    made_u32(&m, 64, 0x604);
    made_u32(&m, 76, 0x608);
    made_u32(&m, 112, 1u << 8 | 1u << 10); /* promises a reset register that is not there */
    EXPECT_EQ(t, acpi_fadt_parse(m.at, m.bytes, &fadt, &issues), 0);
    EXPECT_EQ(t, fadt.dsdt_phys, 0x1000);
    EXPECT_EQ(t, fadt.pm1a_control.address, 0x604);
    EXPECT_EQ(t, fadt.pm1b_control.address, 0);
    EXPECT(t, fadt.pm_timer_is_32bit && fadt.reset.address == 0 && fadt.has_8042);
    EXPECT(t, acpi_fadt_parse(m.at, 115, &fadt, &issues) != 0);

    m = made_table("FACP", 6, 276);
    made_u32(&m, 64, 0x604);
    made_u32(&m, 140, 0x2000);
    m.at[172] = ACPI_SPACE_MEMORY;
    made_u32(&m, 176, 0xB000);
    made_u32(&m, 112, 1u << 10 | 1u << 20);
    m.at[116] = ACPI_SPACE_IO;
    made_u32(&m, 120, 0xCF9);
    m.at[128] = 6;
    EXPECT_EQ(t, acpi_fadt_parse(m.at, m.bytes, &fadt, &issues), 0);
    EXPECT_EQ(t, fadt.dsdt_phys, 0x2000);
    EXPECT(t, fadt.pm1a_control.space == ACPI_SPACE_MEMORY && fadt.pm1a_control.address == 0xB000);
    EXPECT(t, fadt.reset.address == 0xCF9 && fadt.reset_value == 6);
    EXPECT(t, fadt.hardware_reduced && !fadt.has_8042);
}
KTEST(acpi, fadt_old_and_new_registers, KTEST_QUICK);

static bool find_s5(const void *aml, size_t bytes, struct acpi_s5 *s5)
{
    struct made m = made_table("DSDT", 2, 36);

    made_append(&m, aml, bytes);
    return acpi_s5_find(m.at, m.bytes, s5);
}

static void s5_in_all_its_forms(struct ktest *t)
{
    static const uint8_t bytes[] = {8, '_', 'S', '5', '_', 0x12, 8, 4, 10, 5, 10, 6, 0, 0};
    static const uint8_t rooted[] = {8, '\\', '_', 'S', '5', '_', 0x12, 6, 4, 1, 0, 0, 0};
    static const uint8_t two_byte[] = {8, '_', 'S', '5', '_', 0x12, 0x48, 0, 2, 10, 7, 1};
    static const uint8_t no_package[] = {8, '_', 'S', '5', '_', 10, 5};
    static const uint8_t no_name[] = {0x10, '_', 'S', '5', '_', 0x12, 6, 4, 1, 0, 0, 0};
    static const uint8_t empty[] = {8, '_', 'S', '5', '_', 0x12, 2, 0, 1};
    static const uint8_t large[] = {8, '_', 'S', '5', '_', 0x12, 6, 2, 10, 8, 0};
    struct acpi_s5 s5;

    EXPECT(t, find_s5(bytes, sizeof(bytes), &s5) && s5.type_a == 5 && s5.type_b == 6);
    EXPECT(t, find_s5(rooted, sizeof(rooted), &s5) && s5.type_a == 1 && s5.type_b == 0);
    EXPECT(t, find_s5(two_byte, sizeof(two_byte), &s5) && s5.type_a == 7 && s5.type_b == 1);
    EXPECT(t, !find_s5(no_package, sizeof(no_package), &s5));
    EXPECT(t, !find_s5(no_name, sizeof(no_name), &s5));
    EXPECT(t, !find_s5(empty, sizeof(empty), &s5));
    EXPECT(t, !find_s5(large, sizeof(large), &s5));
    for (size_t n = 0; n < 9; n++)
        EXPECT(t, !find_s5(bytes, n, &s5));
}
KTEST(acpi, s5_in_all_its_forms, KTEST_QUICK);

static unsigned fuzz_calls;

static void fuzz_cpu(void *arg, uint64_t id, uint32_t uid, bool enabled)
{
    fuzz_calls++;
}

static void fuzz_cpu_domain(void *arg, uint64_t id, uint32_t domain)
{
    fuzz_calls++;
}

static void fuzz_range(void *arg, uint64_t base, uint64_t bytes, uint32_t domain)
{
    fuzz_calls++;
}

/* Gives the table to every parser; how many of the others took it for theirs. */
static unsigned fuzz_once(const struct made *m)
{
    struct acpi_issues issues = {.quiet = true};
    struct acpi_madt madt;
    struct acpi_srat srat;
    struct acpi_fadt fadt;
    struct acpi_rsdp rsdp;
    struct acpi_s5 s5;

    fuzz_calls = 0;
    acpi_madt_parse(m->at, m->bytes, fuzz_cpu, NULL, &madt, &issues);
    acpi_srat_parse(m->at, m->bytes, fuzz_cpu_domain, fuzz_range, NULL, &srat, &issues);
    return (acpi_fadt_parse(m->at, m->bytes, &fadt, &issues) == 0) +
           (acpi_rsdp_parse(m->at, m->bytes, &rsdp, &issues) == 0) +
           acpi_s5_find(m->at, m->bytes, &s5);
}

/* Every parser comes back, has read nothing behind the table (sanitizers), and has called back for
 * no more entries than fit. */
static void parsers_survive_any_bytes(struct ktest *t)
{
    unsigned rounds = t->full ? FUZZ_ROUNDS_FULL : FUZZ_ROUNDS_QUICK;
    struct random random;
    bool sane = true;

    random_seed(&random, t->seed);
    for (unsigned round = 0; round < rounds; round++) {
        size_t bytes = random_below(&random, FUZZ_BYTES_MAX);
        struct made m = {made_area + MADE_AREA_BYTES - bytes, bytes};

        for (size_t i = 0; i < m.bytes; i++)
            m.at[i] = (uint8_t)random_below(&random, random_below(&random, 2) ? 256 : 20);
        sane &= fuzz_once(&m) <= 1; /* no root pointer, no _S5_ but by a miracle */
        sane &= fuzz_calls <= m.bytes / 4;
    }
    EXPECT(t, sane);
}
KTEST(acpi, parsers_survive_any_bytes, KTEST_QUICK);
