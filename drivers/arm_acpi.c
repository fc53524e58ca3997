/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An Arm machine by its ACPI tables: CPUs, nodes, places, interrupt controller, PSCI. Where there
 * is a device tree as well, it is read later and has the last word; CPUs listed by both count once.
 */
#include <arch/platform.h>

#include "core/init.h"
#include "core/log.h"
#include "core/topology.h"
#include "drivers/acpi.h"
#include "drivers/acpi_gic.h"
#include "drivers/acpi_pptt.h"

#define GICV3_DISTRIBUTOR_VERSIONS 3u

static void arm_acpi_psci(void)
{
    size_t bytes;
    const void *table = acpi_table("FACP", 0, &bytes);
    struct acpi_arm_boot boot = {.has_psci = false};

    if (table)
        boot = acpi_arm_boot_parse(table, bytes);
    if (boot.has_psci)
        arch_set_psci(boot.psci_by_hvc ? ARCH_CONDUIT_HVC : ARCH_CONDUIT_SMC, 0);
    if (table)
        log_line("acpi: FADT: PSCI %s", !boot.has_psci     ? "is not there"
                                        : boot.psci_by_hvc ? "by hvc"
                                                           : "by smc");
}

static void arm_acpi_add_cpu(void *arg, uint64_t hw_id, uint32_t uid, bool enabled)
{
    topology_add_cpu(hw_id, uid, enabled);
}

static void arm_acpi_controller(const struct acpi_gic *from)
{
    static struct arch_gic gic;

    /* A table that does not say its version has redistributors from version 3 on. */
    gic.version = from->version ? from->version : from->nr_areas ? 3 : 2;
    if (gic.version > GICV3_DISTRIBUTOR_VERSIONS)
        gic.version = GICV3_DISTRIBUTOR_VERSIONS;
    gic.distributor_phys = from->distributor_phys;
    gic.cpu_interface_phys = from->cpu_interface_phys;
    gic.nr_areas = from->nr_areas;
    for (uint32_t i = 0; i < from->nr_areas; i++) {
        gic.areas[i].phys = from->areas[i].phys;
        gic.areas[i].bytes = from->areas[i].bytes;
    }
    arch_set_interrupt_controller(&gic);
}

/* Whose domain is looked for, and in which MADT: the two tables know the CPU by its uid only. */
struct arm_acpi_uid {
    const void *madt;
    size_t bytes;
    uint32_t uid, domain;
};

static void arm_acpi_if_uid(void *arg, uint64_t hw_id, uint32_t uid, bool enabled)
{
    const struct arm_acpi_uid *wanted = arg;

    if (uid == wanted->uid)
        topology_set_cpu_domain(hw_id, wanted->domain);
}

static void arm_acpi_set_domain(void *arg, uint32_t uid, uint32_t domain)
{
    static struct acpi_gic unused;
    struct acpi_issues issues = {.quiet = true};
    struct arm_acpi_uid *wanted = arg;

    wanted->uid = uid;
    wanted->domain = domain;
    acpi_gic_parse(wanted->madt, wanted->bytes, arm_acpi_if_uid, wanted, &unused, &issues);
}

static void arm_acpi_nodes(struct arm_acpi_uid *in)
{
    struct acpi_issues issues = {.table = "SRAT"};
    size_t bytes;
    const void *srat = acpi_table("SRAT", 0, &bytes);
    uint32_t count;

    if (!srat)
        return;
    count = acpi_srat_gicc_parse(srat, bytes, arm_acpi_set_domain, in, &issues);
    log_line("acpi: SRAT: %u GICC entries; %u problems", count, issues.count);
}

static void arm_acpi_set_place(void *arg, uint32_t uid, const struct arch_cpu_place *place)
{
    topology_set_place_of(uid, place, "pptt");
}

static void arm_acpi_places(void)
{
    struct acpi_issues issues = {.table = "PPTT"};
    struct acpi_pptt pptt;
    size_t bytes;
    const void *table = acpi_table("PPTT", 0, &bytes);

    if (!table)
        return;
    acpi_pptt_parse(table, bytes, arm_acpi_set_place, NULL, &pptt, &issues);
    log_line("acpi: PPTT: %u nodes, %u of them processors, %u caches; %u problems", pptt.nodes,
             pptt.leaves, pptt.caches, issues.count);
}

static void arm_acpi_init(void)
{
    static struct acpi_gic gic;
    struct acpi_issues issues = {.table = "APIC"};
    struct arm_acpi_uid in = {.madt = NULL};

    arm_acpi_psci();
    in.madt = acpi_table("APIC", 0, &in.bytes);
    if (!in.madt)
        return;
    acpi_gic_parse(in.madt, in.bytes, arm_acpi_add_cpu, NULL, &gic, &issues);
    log_line(
        "acpi: MADT: %u GICC entries, %u of them disabled; GICv%u, distributor at %#llx, %u areas "
        "of redistributors (%u lost); %u problems",
        gic.cpus, gic.disabled, gic.version, (unsigned long long)gic.distributor_phys, gic.nr_areas,
        gic.areas_lost, issues.count);
    arm_acpi_controller(&gic);
    arm_acpi_nodes(&in);
    arm_acpi_places();
}
INIT_FN(arm_acpi_init, INIT_FIRMWARE, 5);
