/* SPDX-License-Identifier: Apache-2.0 */
/* The search for PCI functions on buses that are made, and MCFG. */
#include "core/random.h"
#include "core/selftest.h"
#include "drivers/acpi_mcfg.h"
#include "drivers/pci.h"
#include "tests/kernel/acpi_made.h"

#define NOBODY 0xffffffffu

static unsigned nr_found, nr_reads;
static struct pci_function last_found;

static bool count_function(void *arg, struct pci_function at)
{
    const unsigned *enough = arg;

    last_found = at;
    return ++nr_found == *enough;
}

static void search(pci_reader *read, unsigned enough)
{
    nr_found = nr_reads = 0;
    pci_search(read, count_function, &enough);
}

static uint32_t read_nobody(struct pci_function at, unsigned offset)
{
    nr_reads++;
    return NOBODY;
}

/* Bus 0: a device with functions 0 and 5, a bridge to bus 7. Bus 7: one device, and a bridge back.
 */
static uint32_t read_small(struct pci_function at, unsigned offset)
{
    bool is_multi = at.bus == 0 && at.device == 3 && (at.function == 0 || at.function == 5);
    bool is_bridge = at.device == 4 && at.function == 0 && (at.bus == 0 || at.bus == 7);
    bool is_end = at.bus == 7 && at.device == 31 && at.function == 0;

    nr_reads++;
    if (!is_multi && !is_bridge && !is_end)
        return NOBODY;
    if (offset == PCI_HEADER)
        return is_bridge ? 1u << 16 : is_multi ? 1u << 23 : 0;
    if (offset == 0x18)
        return at.bus == 0 ? 7u << 8 : 0;
    return 0x12345678;
}

static struct random noise;

static uint32_t read_noise(struct pci_function at, unsigned offset)
{
    nr_reads++;
    return (uint32_t)random_next(&noise);
}

static void all_functions_are_found_once(struct ktest *t)
{
    search(read_nobody, 0);
    EXPECT_EQ(t, nr_found, 0);
    EXPECT_EQ(t, nr_reads, 32);
    search(read_small, 0);
    EXPECT_EQ(t, nr_found, 5);
    EXPECT_EQ(t, last_found.bus, 7);
    EXPECT_EQ(t, last_found.device, 31);
    search(read_small, 2); /* enough */
    EXPECT_EQ(t, nr_found, 2);
    EXPECT_EQ(t, last_found.function, 5);
}
KTEST(pci, all_functions_are_found_once, KTEST_QUICK);

/* Bridges to anywhere: each bus is looked at once. */
static void noise_ends(struct ktest *t)
{
    random_seed(&noise, t->seed);
    search(read_noise, 0);
    EXPECT(t, nr_found <= 256 * 32 * 8 && nr_reads <= 256 * 32 * (2 + 8 * 3));
}
KTEST(pci, noise_ends, KTEST_QUICK);

static void made_area_of(struct made *m, uint64_t phys, uint16_t segment, uint8_t first,
                         uint8_t last)
{
    uint8_t entry[16] = {0};

    memcpy(entry, &phys, 8);
    memcpy(entry + 8, &segment, 2);
    entry[10] = first;
    entry[11] = last;
    made_append(m, entry, sizeof(entry));
}

static void mcfg_is_checked(struct ktest *t)
{
    struct made m = made_table("MCFG", 1, 44);
    struct acpi_issues issues = {.quiet = true};
    struct acpi_mcfg area;

    EXPECT_EQ(t, acpi_mcfg_parse(m.at, m.bytes, &issues).phys, 0);
    made_area_of(&m, 0xe0000000, 1, 0, 255);  /* another segment */
    made_area_of(&m, 0xe0000400, 0, 0, 255);  /* not aligned */
    made_area_of(&m, 0xe0000000, 0, 9, 8);    /* backwards */
    made_area_of(&m, ~0xfffffull, 0, 0, 255); /* wraps */
    made_area_of(&m, 0xb0000000, 0, 0, 0x7f);
    area = acpi_mcfg_parse(m.at, m.bytes, &issues);
    EXPECT(t, area.phys == 0xb0000000 && area.first_bus == 0 && area.last_bus == 0x7f);
    EXPECT_EQ(t, issues.count, 3);
    EXPECT_EQ(t, acpi_mcfg_parse(m.at, m.bytes - 1, &issues).phys, 0); /* cut off */
    EXPECT_EQ(t, acpi_mcfg_parse(m.at, 40, &issues).phys, 0);
}
KTEST(acpi_mcfg, mcfg_is_checked, KTEST_QUICK);
