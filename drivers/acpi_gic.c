/* SPDX-License-Identifier: Apache-2.0 */
/* ACPI tables of Arm machines as bytes (drivers/acpi_gic.h; I1–I3 of drivers/acpi_format.h). */
#include "drivers/acpi_gic.h"

#define MADT_ENTRIES 44u
#define SRAT_ENTRIES 48u
#define FADT_ARM_BOOT 129u
#define GIC_ENABLED 1u
#define ARM_BOOT_PSCI 1u
#define ARM_BOOT_PSCI_HVC 2u
#define MPIDR_AFFINITY 0xff00ffffffull

enum gic_type {
    GIC_TYPE_CPU = 0x0b,
    GIC_TYPE_DISTRIBUTOR = 0x0c,
    GIC_TYPE_REDISTRIBUTOR = 0x0e,
};
/* The entry of ACPI 5.1, the first one with the MPIDR, which ends it. */
#define GIC_CPU_BYTES 76u
#define GIC_DISTRIBUTOR_BYTES 24u
#define GIC_REDISTRIBUTOR_BYTES 16u
#define SRAT_TYPE_GICC 3u
#define SRAT_GICC_BYTES 18u
/* One CPU's frames: two of 64 KiB (GICv3); GICv4 has two more, which the walk over them finds. */
#define GIC_FRAMES_BYTES 0x20000u

struct gic_walk {
    acpi_gicc_fn *cpu;
    void *arg;
    struct acpi_gic *out;
    struct acpi_issues *issues;
    bool by_cpu; /* the second walk: redistributors from GICC entries */
};

static bool gic_has(struct gic_walk *walk, size_t entry_bytes, size_t needed, size_t offset)
{
    if (entry_bytes < needed)
        acpi_issue(walk->issues, offset, "an entry is too short for its type");
    return entry_bytes >= needed;
}

static void gic_add_area(struct acpi_gic *gic, uint64_t phys, uint64_t bytes)
{
    uint32_t last = gic->nr_areas - 1;

    if (gic->nr_areas && gic->areas[last].phys + gic->areas[last].bytes == phys) {
        gic->areas[last].bytes += bytes;
        return;
    }
    if (gic->nr_areas == ACPI_GIC_AREAS_MAX) {
        gic->areas_lost++;
        return;
    }
    gic->areas[gic->nr_areas].phys = phys;
    gic->areas[gic->nr_areas++].bytes = bytes;
}

static void gic_cpu(struct gic_walk *walk, const uint8_t *entry)
{
    bool enabled = acpi_u32(entry, 12) & GIC_ENABLED;

    if (walk->by_cpu) {
        if (acpi_u64(entry, 60))
            gic_add_area(walk->out, acpi_u64(entry, 60), GIC_FRAMES_BYTES);
        return;
    }
    walk->out->cpus++;
    walk->out->disabled += !enabled;
    if (enabled && !walk->out->cpu_interface_phys)
        walk->out->cpu_interface_phys = acpi_u64(entry, 32);
    walk->cpu(walk->arg, acpi_u64(entry, 68) & MPIDR_AFFINITY, acpi_u32(entry, 8), enabled);
}

static void gic_entry(void *arg, const uint8_t *entry, size_t entry_bytes, size_t offset)
{
    struct gic_walk *walk = arg;

    switch (entry[0]) {
    case GIC_TYPE_CPU:
        if (gic_has(walk, entry_bytes, GIC_CPU_BYTES, offset))
            gic_cpu(walk, entry);
        break;
    case GIC_TYPE_DISTRIBUTOR:
        if (walk->by_cpu || !gic_has(walk, entry_bytes, GIC_DISTRIBUTOR_BYTES, offset))
            break;
        walk->out->distributor_phys = acpi_u64(entry, 8);
        walk->out->version = acpi_u8(entry, 20);
        break;
    case GIC_TYPE_REDISTRIBUTOR:
        if (!walk->by_cpu && gic_has(walk, entry_bytes, GIC_REDISTRIBUTOR_BYTES, offset))
            gic_add_area(walk->out, acpi_u64(entry, 4), acpi_u32(entry, 12));
        break;
    }
}

void acpi_gic_parse(const void *table, size_t bytes, acpi_gicc_fn *cpu, void *arg,
                    struct acpi_gic *out, struct acpi_issues *issues)
{
    struct gic_walk walk = {.cpu = cpu, .arg = arg, .out = out, .issues = issues};
    struct acpi_issues again = {.quiet = true};

    memset(out, 0, sizeof(*out));
    acpi_walk(table, bytes, MADT_ENTRIES, gic_entry, &walk, issues);
    if (out->nr_areas)
        return;
    walk.by_cpu = true;
    walk.issues = &again;
    acpi_walk(table, bytes, MADT_ENTRIES, gic_entry, &walk, &again);
}

struct srat_gicc_walk {
    acpi_uid_domain_fn *fn;
    void *arg;
    struct acpi_issues *issues;
    uint32_t count;
};

static void srat_gicc_entry(void *arg, const uint8_t *entry, size_t entry_bytes, size_t offset)
{
    struct srat_gicc_walk *walk = arg;

    if (entry[0] != SRAT_TYPE_GICC)
        return;
    if (entry_bytes < SRAT_GICC_BYTES) {
        acpi_issue(walk->issues, offset, "an entry is too short for its type");
        return;
    }
    if (!(acpi_u32(entry, 10) & GIC_ENABLED))
        return;
    walk->count++;
    walk->fn(walk->arg, acpi_u32(entry, 6), acpi_u32(entry, 2));
}

uint32_t acpi_srat_gicc_parse(const void *table, size_t bytes, acpi_uid_domain_fn *fn, void *arg,
                              struct acpi_issues *issues)
{
    struct srat_gicc_walk walk = {.fn = fn, .arg = arg, .issues = issues};

    acpi_walk(table, bytes, SRAT_ENTRIES, srat_gicc_entry, &walk, issues);
    return walk.count;
}

struct acpi_arm_boot acpi_arm_boot_parse(const void *table, size_t bytes)
{
    uint16_t flags = bytes >= FADT_ARM_BOOT + 2 ? acpi_u16(table, FADT_ARM_BOOT) : 0;

    return (struct acpi_arm_boot){.has_psci = flags & ARM_BOOT_PSCI,
                                  .psci_by_hvc = flags & ARM_BOOT_PSCI_HVC};
}
