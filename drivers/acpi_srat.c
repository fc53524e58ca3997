/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SRAT: proximity domains of CPUs and memory, for core/topology.c to number.
 *
 * Types read: 0 processor local APIC affinity, 1 memory affinity, 2 processor local x2APIC
 * affinity. Before revision 2 a domain has 8 bits, and what follows them is undefined.
 */
#include "drivers/acpi_srat.h"

#include "core/init.h"
#include "core/log.h"
#include "core/topology.h"
#include "drivers/acpi.h"

#define SRAT_REVISION 8u
#define SRAT_ENTRIES 48u
#define SRAT_ENABLED 1u
#define SRAT_HOT_PLUG 2u
#define SRAT_PHYS_LIMIT (1ull << 52)

enum srat_type {
    SRAT_TYPE_LOCAL_APIC = 0,
    SRAT_TYPE_MEMORY = 1,
    SRAT_TYPE_X2APIC = 2,
};
#define SRAT_LOCAL_APIC_BYTES 16u
#define SRAT_MEMORY_BYTES 40u
#define SRAT_X2APIC_BYTES 24u

struct srat_walk {
    acpi_cpu_domain_fn *cpu;
    acpi_memory_domain_fn *memory;
    void *arg;
    uint32_t domain_mask;
    struct acpi_srat *out;
    struct acpi_issues *issues;
};

static bool srat_is_enabled(struct srat_walk *walk, uint32_t flags)
{
    walk->out->disabled += !(flags & SRAT_ENABLED);
    return flags & SRAT_ENABLED;
}

static void srat_cpu(struct srat_walk *walk, uint64_t apic_id, uint32_t domain, uint32_t flags)
{
    if (!srat_is_enabled(walk, flags))
        return;
    walk->out->cpus++;
    walk->cpu(walk->arg, apic_id, domain & walk->domain_mask);
}

static void srat_memory(struct srat_walk *walk, const uint8_t *entry, size_t offset)
{
    uint64_t base = acpi_u64(entry, 8), bytes = acpi_u64(entry, 16);
    uint32_t flags = acpi_u32(entry, 28);

    if (!srat_is_enabled(walk, flags) || !bytes)
        return;
    if (base >= SRAT_PHYS_LIMIT || bytes > SRAT_PHYS_LIMIT - base) {
        acpi_issue(walk->issues, offset, "a memory range beyond 2^52");
        return;
    }
    walk->out->memory_ranges++;
    walk->out->hot_plug += !!(flags & SRAT_HOT_PLUG);
    walk->memory(walk->arg, base, bytes, acpi_u32(entry, 2) & walk->domain_mask);
}

static uint32_t srat_split_domain(const uint8_t *entry)
{
    return acpi_u8(entry, 2) | (uint32_t)acpi_u8(entry, 9) << 8 |
           (uint32_t)acpi_u16(entry, 10) << 16;
}

static size_t srat_needed_bytes(unsigned type)
{
    return type == SRAT_TYPE_LOCAL_APIC ? SRAT_LOCAL_APIC_BYTES
           : type == SRAT_TYPE_MEMORY   ? SRAT_MEMORY_BYTES
           : type == SRAT_TYPE_X2APIC   ? SRAT_X2APIC_BYTES
                                        : 0;
}

static void srat_entry(void *arg, const uint8_t *entry, size_t entry_bytes, size_t offset)
{
    struct srat_walk *walk = arg;

    if (entry_bytes < srat_needed_bytes(entry[0])) {
        acpi_issue(walk->issues, offset, "an entry is too short for its type");
        return;
    }
    switch (entry[0]) {
    case SRAT_TYPE_LOCAL_APIC:
        srat_cpu(walk, acpi_u8(entry, 3), srat_split_domain(entry), acpi_u32(entry, 4));
        break;
    case SRAT_TYPE_MEMORY:
        srat_memory(walk, entry, offset);
        break;
    case SRAT_TYPE_X2APIC:
        srat_cpu(walk, acpi_u32(entry, 8), acpi_u32(entry, 4), acpi_u32(entry, 12));
        break;
    }
}

void acpi_srat_parse(const void *table, size_t bytes, acpi_cpu_domain_fn *cpu,
                     acpi_memory_domain_fn *memory, void *arg, struct acpi_srat *out,
                     struct acpi_issues *issues)
{
    struct srat_walk walk = {
        .cpu = cpu, .memory = memory, .arg = arg, .out = out, .issues = issues};

    *out = (struct acpi_srat){.cpus = 0};
    walk.domain_mask = bytes >= SRAT_ENTRIES && acpi_u8(table, SRAT_REVISION) < 2 ? 0xFF : ~0u;
    acpi_walk(table, bytes, SRAT_ENTRIES, srat_entry, &walk, issues);
}

static void srat_set_cpu(void *arg, uint64_t apic_id, uint32_t domain)
{
    topology_set_cpu_domain(apic_id, domain);
}

static void srat_add_memory(void *arg, uint64_t base, uint64_t bytes, uint32_t domain)
{
    topology_add_memory_domain(base, bytes, domain);
}

static void srat_init(void)
{
    struct acpi_issues issues = {.table = "SRAT"};
    struct acpi_srat srat;
    size_t bytes;
    const void *table = acpi_table("SRAT", 0, &bytes);

    if (!table)
        return;
    acpi_srat_parse(table, bytes, srat_set_cpu, srat_add_memory, NULL, &srat, &issues);
    log_line("acpi: SRAT: %u CPUs, %u memory ranges (%u hot-plug), %u disabled entries; "
             "%u problems",
             srat.cpus, srat.memory_ranges, srat.hot_plug, srat.disabled, issues.count);
}
INIT_FN(srat_init, INIT_FIRMWARE, 20);
