/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MADT: lists the CPUs of an x86 machine.
 *
 * Types read: 0 processor local APIC, 9 processor local x2APIC, 5 local APIC address override. A
 * CPU can be listed by both 0 and 9; core/topology.c removes the second one.
 */
#include "drivers/acpi_madt.h"

#include "core/init.h"
#include "core/log.h"
#include "core/topology.h"
#include "drivers/acpi.h"

#define MADT_LOCAL_APIC 36u
#define MADT_ENTRIES 44u
#define MADT_ENABLED 1u

enum madt_type {
    MADT_TYPE_LOCAL_APIC = 0,
    MADT_TYPE_ADDRESS_OVERRIDE = 5,
    MADT_TYPE_X2APIC = 9,
};
#define MADT_LOCAL_APIC_BYTES 8u
#define MADT_ADDRESS_OVERRIDE_BYTES 12u
#define MADT_X2APIC_BYTES 16u

/* Ids that mean "all CPUs" to the interrupt controller, and so are nobody's. */
#define MADT_NO_APIC_ID 0xFFu
#define MADT_NO_X2APIC_ID 0xFFFFFFFFu

struct madt_walk {
    acpi_cpu_fn *cpu;
    void *arg;
    struct acpi_madt *out;
    struct acpi_issues *issues;
};

static bool madt_has(struct madt_walk *walk, size_t entry_bytes, size_t needed, size_t offset)
{
    if (entry_bytes < needed)
        acpi_issue(walk->issues, offset, "an entry is too short for its type");
    return entry_bytes >= needed;
}

static void madt_cpu(struct madt_walk *walk, uint32_t apic_id, uint32_t uid, uint32_t flags)
{
    bool enabled = flags & MADT_ENABLED;

    walk->out->disabled += !enabled;
    walk->cpu(walk->arg, apic_id, uid, enabled);
}

static void madt_local_apic(struct madt_walk *walk, const uint8_t *entry)
{
    if (acpi_u8(entry, 3) == MADT_NO_APIC_ID) {
        walk->out->padding++;
        return;
    }
    walk->out->local_apics++;
    madt_cpu(walk, acpi_u8(entry, 3), acpi_u8(entry, 2), acpi_u32(entry, 4));
}

static void madt_x2apic(struct madt_walk *walk, const uint8_t *entry)
{
    if (acpi_u32(entry, 4) == MADT_NO_X2APIC_ID) {
        walk->out->padding++;
        return;
    }
    walk->out->x2apics++;
    madt_cpu(walk, acpi_u32(entry, 4), acpi_u32(entry, 12), acpi_u32(entry, 8));
}

static void madt_entry(void *arg, const uint8_t *entry, size_t entry_bytes, size_t offset)
{
    struct madt_walk *walk = arg;

    switch (entry[0]) {
    case MADT_TYPE_LOCAL_APIC:
        if (madt_has(walk, entry_bytes, MADT_LOCAL_APIC_BYTES, offset))
            madt_local_apic(walk, entry);
        break;
    case MADT_TYPE_X2APIC:
        if (madt_has(walk, entry_bytes, MADT_X2APIC_BYTES, offset))
            madt_x2apic(walk, entry);
        break;
    case MADT_TYPE_ADDRESS_OVERRIDE:
        if (madt_has(walk, entry_bytes, MADT_ADDRESS_OVERRIDE_BYTES, offset))
            walk->out->local_apic_phys = acpi_u64(entry, 4);
        break;
    }
}

void acpi_madt_parse(const void *table, size_t bytes, acpi_cpu_fn *cpu, void *arg,
                     struct acpi_madt *out, struct acpi_issues *issues)
{
    struct madt_walk walk = {.cpu = cpu, .arg = arg, .out = out, .issues = issues};

    *out = (struct acpi_madt){.local_apic_phys = 0};
    if (bytes >= MADT_ENTRIES)
        out->local_apic_phys = acpi_u32(table, MADT_LOCAL_APIC);
    acpi_walk(table, bytes, MADT_ENTRIES, madt_entry, &walk, issues);
}

static void madt_add_cpu(void *arg, uint64_t apic_id, uint32_t uid, bool enabled)
{
    topology_add_cpu(apic_id, uid, enabled);
}

static void madt_init(void)
{
    struct acpi_issues issues = {.table = "APIC"};
    struct acpi_madt madt;
    size_t bytes;
    const void *table = acpi_table("APIC", 0, &bytes);

    if (!table)
        return;
    acpi_madt_parse(table, bytes, madt_add_cpu, NULL, &madt, &issues);
    log_line("acpi: MADT: %u APIC + %u x2APIC entries, %u disabled, %u padding, %u problems; APIC "
             "at 0x%llx",
             madt.local_apics, madt.x2apics, madt.disabled, madt.padding, issues.count,
             (unsigned long long)madt.local_apic_phys);
}
INIT_FN(madt_init, INIT_FIRMWARE, 10);
