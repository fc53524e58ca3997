/* SPDX-License-Identifier: Apache-2.0 */
/* ACPI tables of Arm machines, good and hostile: drivers/acpi_gic.h. */
#include "core/random.h"
#include "core/selftest.h"
#include "drivers/acpi_gic.h"
#include "tests/kernel/acpi_made.h"

#define CPUS_MAX 64u
#define ENTRY_BYTES_MAX 96u

static void made_gicc(struct made *m, uint32_t uid, uint64_t mpidr, uint8_t flags, uint64_t frames,
                      uint8_t bytes)
{
    uint8_t entry[ENTRY_BYTES_MAX] = {0x0b, bytes};
    const uint64_t interface = 0x8010000;

    memcpy(entry + 8, &uid, 4);
    entry[12] = flags;
    memcpy(entry + 32, &interface, 8);
    memcpy(entry + 60, &frames, 8);
    memcpy(entry + 68, &mpidr, 8);
    made_append(m, entry, bytes);
}

static void made_gicd(struct made *m, uint64_t phys, uint8_t version)
{
    uint8_t entry[24] = {0x0c, 24};

    memcpy(entry + 8, &phys, 8);
    entry[20] = version;
    made_append(m, entry, sizeof(entry));
}

static void made_gicr(struct made *m, uint64_t phys, uint32_t bytes)
{
    uint8_t entry[16] = {0x0e, 16};

    memcpy(entry + 4, &phys, 8);
    memcpy(entry + 12, &bytes, 4);
    made_append(m, entry, sizeof(entry));
}

static void made_srat_gicc(struct made *m, uint32_t domain, uint32_t uid, uint8_t flags)
{
    uint8_t entry[18] = {3, 18};

    memcpy(entry + 2, &domain, 4);
    memcpy(entry + 6, &uid, 4);
    entry[10] = flags;
    made_append(m, entry, sizeof(entry));
}

static struct {
    uint32_t cpus, enabled;
    uint64_t ids[CPUS_MAX];
    uint32_t uids[CPUS_MAX], domains[CPUS_MAX];
    struct acpi_gic gic;
    struct acpi_issues issues;
} gic_seen;

static void see_gicc(void *arg, uint64_t hw_id, uint32_t uid, bool enabled)
{
    gic_seen.uids[gic_seen.cpus % CPUS_MAX] = uid;
    gic_seen.ids[gic_seen.cpus++ % CPUS_MAX] = hw_id;
    gic_seen.enabled += enabled;
}

static void see_uid_domain(void *arg, uint32_t uid, uint32_t domain)
{
    gic_seen.uids[gic_seen.cpus % CPUS_MAX] = uid;
    gic_seen.domains[gic_seen.cpus++ % CPUS_MAX] = domain;
}

static void parse_gic(const struct made *m)
{
    memset(&gic_seen, 0, sizeof(gic_seen));
    gic_seen.issues.quiet = true;
    acpi_gic_parse(m->at, m->bytes, see_gicc, NULL, &gic_seen.gic, &gic_seen.issues);
}

static void gic_entries_are_read(struct ktest *t)
{
    struct made m = made_table("APIC", 4, 44);

    made_gicd(&m, 0x8000000, 3);
    made_gicc(&m, 0, 0x80000000, 1, 0, 80); /* bit 31 of MPIDR is no affinity */
    made_gicc(&m, 1, 0x0700030201, 1, 0, 76);
    made_gicc(&m, 2, 0x100, 0, 0, 82); /* disabled */
    made_gicc(&m, 3, 0x101, 8, 0, 82); /* online capable is not enabled */
    made_gicr(&m, 0x80a0000, 0xf60000);
    made_gicr(&m, 0x4000000000, 0x4000000);
    parse_gic(&m);
    EXPECT_EQ(t, gic_seen.cpus, 4);
    EXPECT_EQ(t, gic_seen.enabled, 2);
    EXPECT_EQ(t, gic_seen.ids[0], 0);
    EXPECT_EQ(t, gic_seen.ids[1], 0x0700030201);
    EXPECT_EQ(t, gic_seen.uids[3], 3);
    EXPECT_EQ(t, gic_seen.gic.disabled, 2);
    EXPECT_EQ(t, gic_seen.gic.version, 3);
    EXPECT_EQ(t, gic_seen.gic.distributor_phys, 0x8000000);
    EXPECT_EQ(t, gic_seen.gic.cpu_interface_phys, 0x8010000);
    EXPECT_EQ(t, gic_seen.gic.nr_areas, 2);
    EXPECT_EQ(t, gic_seen.gic.areas[1].phys, 0x4000000000);
    EXPECT_EQ(t, gic_seen.gic.areas[1].bytes, 0x4000000);
    EXPECT_EQ(t, gic_seen.issues.count, 0);
}
KTEST(acpi_gic, gic_entries_are_read, KTEST_QUICK);

/* Redistributors by CPU: neighbours are one area. */
static void redistributors_of_cpus(struct ktest *t)
{
    struct made m = made_table("APIC", 4, 44);

    for (uint32_t i = 0; i < 8; i++)
        made_gicc(&m, i, i, 1, 0x80a0000 + i * 0x20000ull + (i >= 4 ? 0x1000000 : 0), 80);
    parse_gic(&m);
    EXPECT_EQ(t, gic_seen.cpus, 8);
    EXPECT_EQ(t, gic_seen.gic.nr_areas, 2);
    EXPECT_EQ(t, gic_seen.gic.areas[0].bytes, 4 * 0x20000);
    EXPECT_EQ(t, gic_seen.gic.areas[1].phys, 0x80a0000 + 4 * 0x20000 + 0x1000000);
}
KTEST(acpi_gic, redistributors_of_cpus, KTEST_QUICK);

static void short_entries_are_named(struct ktest *t)
{
    struct made m = made_table("APIC", 4, 44);
    const uint8_t short_gicd[8] = {0x0c, 8}, endless[2] = {0x0b, 0};

    made_gicc(&m, 0, 0, 1, 0, 40);
    made_append(&m, short_gicd, sizeof(short_gicd));
    made_append(&m, endless, sizeof(endless));
    parse_gic(&m);
    EXPECT_EQ(t, gic_seen.cpus, 0);
    EXPECT_EQ(t, gic_seen.gic.distributor_phys, 0);
    EXPECT_EQ(t, gic_seen.issues.count, 3);
}
KTEST(acpi_gic, short_entries_are_named, KTEST_QUICK);

static void srat_gicc_entries_are_read(struct ktest *t)
{
    struct made m = made_table("SRAT", 3, 48);
    struct acpi_issues issues = {.quiet = true};
    const uint8_t too_short[6] = {3, 6};

    memset(&gic_seen, 0, sizeof(gic_seen));
    made_srat_gicc(&m, 7, 1, 1);
    made_srat_gicc(&m, 8, 2, 0); /* disabled */
    made_srat_gicc(&m, 0x12345678, 3, 1);
    made_append(&m, too_short, sizeof(too_short));
    EXPECT_EQ(t, acpi_srat_gicc_parse(m.at, m.bytes, see_uid_domain, NULL, &issues), 2);
    EXPECT_EQ(t, gic_seen.uids[0], 1);
    EXPECT_EQ(t, gic_seen.domains[0], 7);
    EXPECT_EQ(t, gic_seen.domains[1], 0x12345678);
    EXPECT_EQ(t, issues.count, 1);
}
KTEST(acpi_gic, srat_gicc_entries_are_read, KTEST_QUICK);

static void fadt_says_how_firmware_is_called(struct ktest *t)
{
    struct made m = made_table("FACP", 6, 276);

    EXPECT(t, !acpi_arm_boot_parse(m.at, m.bytes).has_psci);
    m.at[129] = 1;
    EXPECT(t, acpi_arm_boot_parse(m.at, m.bytes).has_psci);
    EXPECT(t, !acpi_arm_boot_parse(m.at, m.bytes).psci_by_hvc);
    m.at[129] = 3;
    EXPECT(t, acpi_arm_boot_parse(m.at, m.bytes).psci_by_hvc);
    EXPECT(t, !acpi_arm_boot_parse(m.at, 116).has_psci); /* ends before */
}
KTEST(acpi_gic, fadt_says_how_firmware_is_called, KTEST_QUICK);

/* Any bytes: no fault (sanitizers), no endless loop, bounded results. */
static void garbage_is_survived(struct ktest *t)
{
    struct random random;
    unsigned rounds = t->full ? 20000 : 200;

    random_seed(&random, t->seed);
    for (unsigned i = 0; i < rounds; i++) {
        struct made m = made_table("APIC", 4, 44 + random_below(&random, 400));

        for (size_t at = 44; at < m.bytes; at++) {
            uint64_t r = random_next(&random);

            m.at[at] = (uint8_t)(r % 4 ? r >> 8 & 0x1f : r >> 8);
        }
        parse_gic(&m);
        (void)acpi_srat_gicc_parse(m.at, m.bytes, see_uid_domain, NULL, &gic_seen.issues);
        if (!EXPECT(t, gic_seen.gic.nr_areas <= ACPI_GIC_AREAS_MAX && gic_seen.cpus <= 200))
            break;
    }
}
KTEST(acpi_gic, garbage_is_survived, KTEST_QUICK);
