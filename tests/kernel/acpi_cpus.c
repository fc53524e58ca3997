/* SPDX-License-Identifier: Apache-2.0 */
/* MADT and SRAT, good and hostile: I1–I3 of drivers/acpi_format.h. */
#include "core/selftest.h"
#include "drivers/acpi_madt.h"
#include "drivers/acpi_srat.h"
#include "tests/kernel/acpi_made.h"

#define CPUS_MAX 512u

static void made_local_apic(struct made *m, uint8_t uid, uint8_t id, uint8_t flags)
{
    const uint8_t entry[8] = {0, 8, uid, id, flags};

    made_append(m, entry, sizeof(entry));
}

static void made_x2apic(struct made *m, uint32_t uid, uint32_t id, uint8_t flags)
{
    uint8_t entry[16] = {9, 16, 0, 0, 0, 0, 0, 0, flags};

    memcpy(entry + 4, &id, 4);
    memcpy(entry + 12, &uid, 4);
    made_append(m, entry, sizeof(entry));
}

/* What the parsers called back with. */
struct seen {
    uint32_t cpus, enabled, ranges;
    uint64_t ids[CPUS_MAX];
    uint32_t domains[CPUS_MAX];
    uint64_t last_base, last_bytes;
    struct acpi_madt madt;
    struct acpi_srat srat;
    struct acpi_issues issues;
};

static struct seen seen;

static void see_cpu(void *arg, uint64_t id, uint32_t uid, bool enabled)
{
    seen.ids[seen.cpus++ % CPUS_MAX] = id;
    seen.enabled += enabled;
}

static void see_cpu_domain(void *arg, uint64_t id, uint32_t domain)
{
    seen.ids[seen.cpus % CPUS_MAX] = id;
    seen.domains[seen.cpus++ % CPUS_MAX] = domain;
}

static void see_range(void *arg, uint64_t base, uint64_t bytes, uint32_t domain)
{
    seen.ranges++;
    seen.last_base = base;
    seen.last_bytes = bytes;
}

static void parse_madt(const struct made *m)
{
    memset(&seen, 0, sizeof(seen));
    seen.issues.quiet = true;
    acpi_madt_parse(m->at, m->bytes, see_cpu, NULL, &seen.madt, &seen.issues);
}

static void parse_srat(const struct made *m)
{
    memset(&seen, 0, sizeof(seen));
    seen.issues.quiet = true;
    acpi_srat_parse(m->at, m->bytes, see_cpu_domain, see_range, NULL, &seen.srat, &seen.issues);
}

static void madt_lists_both_types(struct ktest *t)
{
    struct made m = made_table("APIC", 3, 44);
    const uint8_t override[12] = {5, 12, 0, 0, 0, 0x10, 0xE0, 0xFE};

    made_u32(&m, 36, 0xFEE00000);
    made_local_apic(&m, 1, 4, 1);
    made_local_apic(&m, 2, 6, 0);    /* disabled */
    made_local_apic(&m, 3, 7, 2);    /* online capable is not enabled */
    made_local_apic(&m, 4, 0xFF, 1); /* padding */
    made_x2apic(&m, 5, 4, 1);        /* the first one again: passed on, topology's to remove */
    made_x2apic(&m, 6, 70000, 1);
    made_x2apic(&m, 7, 0xFFFFFFFF, 1);
    made_append(&m, override, sizeof(override));
    parse_madt(&m);
    EXPECT_EQ(t, seen.cpus, 5);
    EXPECT_EQ(t, seen.enabled, 3);
    EXPECT_EQ(t, seen.ids[4], 70000);
    EXPECT_EQ(t, seen.madt.local_apics, 3);
    EXPECT_EQ(t, seen.madt.x2apics, 2);
    EXPECT_EQ(t, seen.madt.disabled, 2);
    EXPECT_EQ(t, seen.madt.padding, 2);
    EXPECT_EQ(t, seen.madt.local_apic_phys, 0xFEE01000);
    EXPECT_EQ(t, seen.issues.count, 0);
}
KTEST(acpi, madt_lists_both_types, KTEST_QUICK);

static void madt_of_300_cpus(struct ktest *t)
{
    struct made m = made_table("APIC", 4, 44);

    for (uint32_t i = 0; i < 300; i++) {
        if (i < 255)
            made_local_apic(&m, (uint8_t)i, (uint8_t)i, 1);
        else
            made_x2apic(&m, i, i * 3, 1);
    }
    parse_madt(&m);
    EXPECT_EQ(t, seen.cpus, 300);
    EXPECT_EQ(t, seen.enabled, 300);
    EXPECT_EQ(t, seen.ids[254], 254);
    EXPECT_EQ(t, seen.ids[299], 897);
}
KTEST(acpi, madt_of_300_cpus, KTEST_QUICK);

/* I2: the CPUs before the bad entry count, those behind it are not guessed at. */
static void madt_with_length_zero(struct ktest *t)
{
    struct made m = made_table("APIC", 3, 44);
    const uint8_t bad[8] = {0};

    made_local_apic(&m, 0, 0, 1);
    made_append(&m, bad, sizeof(bad));
    made_local_apic(&m, 1, 1, 1);
    parse_madt(&m);
    EXPECT_EQ(t, seen.cpus, 1);
    EXPECT_EQ(t, seen.issues.count, 1);
    EXPECT_EQ(t, seen.issues.first_offset, 52);
}
KTEST(acpi, madt_with_length_zero, KTEST_QUICK);

static void madt_entry_past_the_end(struct ktest *t)
{
    struct made m = made_table("APIC", 3, 44);

    made_local_apic(&m, 0, 0, 1);
    made_x2apic(&m, 1, 1, 1);
    m.at[52 + 1] = 17; /* one byte more than there is */
    parse_madt(&m);
    EXPECT_EQ(t, seen.cpus, 1);
    EXPECT_EQ(t, seen.issues.count, 1);
}
KTEST(acpi, madt_entry_past_the_end, KTEST_QUICK);

static void madt_entry_shorter_than_its_type(struct ktest *t)
{
    struct made m = made_table("APIC", 3, 44);
    const uint8_t cut[6] = {9, 6, 0, 0, 1, 0}, strange[2] = {200, 2};

    made_append(&m, cut, sizeof(cut));
    made_append(&m, strange, sizeof(strange));
    made_local_apic(&m, 0, 9, 1); /* at an odd place, and still read */
    parse_madt(&m);
    EXPECT_EQ(t, seen.cpus, 1);
    EXPECT_EQ(t, seen.ids[0], 9);
    EXPECT_EQ(t, seen.issues.count, 1);
    EXPECT_EQ(t, seen.issues.first_offset, 44);
}
KTEST(acpi, madt_entry_shorter_than_its_type, KTEST_QUICK);

static void madt_longer_entries_are_read(struct ktest *t)
{
    struct made m = made_table("APIC", 9, 44);
    const uint8_t longer[12] = {0, 12, 1, 33, 1};

    made_append(&m, longer, sizeof(longer));
    parse_madt(&m);
    EXPECT_EQ(t, seen.cpus, 1);
    EXPECT_EQ(t, seen.ids[0], 33);
    EXPECT_EQ(t, seen.issues.count, 0);
}
KTEST(acpi, madt_longer_entries_are_read, KTEST_QUICK);

static void madt_cut_at_every_length(struct ktest *t)
{
    struct made m = made_table("APIC", 3, 44), cut;

    made_local_apic(&m, 0, 0, 1);
    made_x2apic(&m, 1, 1, 1);
    for (size_t bytes = m.bytes; bytes-- > 0;) {
        memmove(m.at + 1, m.at, bytes); /* keeps what is left at the end of the area */
        m.at++;
        cut = (struct made){m.at, bytes};
        parse_madt(&cut);
        EXPECT(t, seen.cpus == (bytes >= 52));
        EXPECT(t, seen.issues.count == (bytes != 52 && bytes != 44));
    }
}
KTEST(acpi, madt_cut_at_every_length, KTEST_QUICK);

static void made_memory(struct made *m, uint32_t domain, uint64_t base, uint64_t bytes,
                        uint8_t flags)
{
    uint8_t entry[40] = {1, 40};

    memcpy(entry + 2, &domain, 4);
    memcpy(entry + 8, &base, 8);
    memcpy(entry + 16, &bytes, 8);
    entry[28] = flags;
    made_append(m, entry, sizeof(entry));
}

static void srat_reads_all_types(struct ktest *t)
{
    struct made m = made_table("SRAT", 3, 48);
    const uint8_t cpu[16] = {0, 16, 0x11, 5, 1, 0, 0, 0, 0, 0x22, 0x33, 0x44};
    const uint8_t off[16] = {0, 16, 0, 6, 0};
    uint8_t x2[24] = {2, 24, 0, 0, 7, 0, 0, 0, 0x00, 0x02, 0, 0, 1};

    made_append(&m, cpu, sizeof(cpu));
    made_append(&m, off, sizeof(off));
    made_append(&m, x2, sizeof(x2));
    made_memory(&m, 0, 0, 0xA0000, 1);
    made_memory(&m, 1, 1ull << 32, 1ull << 48, 3);  /* hot-plug room */
    made_memory(&m, 1, 1ull << 32, 0, 1);           /* nothing */
    made_memory(&m, 1, 1ull << 33, 4096, 0);        /* disabled */
    made_memory(&m, 2, UINT64_MAX - 4095, 8192, 1); /* wraps */
    parse_srat(&m);
    EXPECT_EQ(t, seen.cpus, 2);
    EXPECT_EQ(t, seen.domains[0], 0x44332211);
    EXPECT_EQ(t, seen.ids[1], 0x200);
    EXPECT_EQ(t, seen.domains[1], 7);
    EXPECT_EQ(t, seen.ranges, 2);
    EXPECT_EQ(t, seen.last_base, 1ull << 32);
    EXPECT_EQ(t, seen.last_bytes, 1ull << 48);
    EXPECT_EQ(t, seen.srat.hot_plug, 1);
    EXPECT_EQ(t, seen.srat.disabled, 2);
    EXPECT_EQ(t, seen.issues.count, 1);
}
KTEST(acpi, srat_reads_all_types, KTEST_QUICK);

static void srat_of_revision_1_has_small_domains(struct ktest *t)
{
    struct made m = made_table("SRAT", 1, 48);
    const uint8_t cpu[16] = {0, 16, 3, 5, 1, 0, 0, 0, 0, 0xAA, 0xBB, 0xCC};

    made_append(&m, cpu, sizeof(cpu));
    parse_srat(&m);
    EXPECT_EQ(t, seen.cpus, 1);
    EXPECT_EQ(t, seen.domains[0], 3);
}
KTEST(acpi, srat_of_revision_1_has_small_domains, KTEST_QUICK);
