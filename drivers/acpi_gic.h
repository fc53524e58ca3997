/* SPDX-License-Identifier: Apache-2.0 */
/* What ACPI says of an Arm machine: CPUs and interrupt controller (MADT, ACPI 6.5, 5.2.12.14 to
 * 5.2.12.17), their nodes (SRAT, 5.2.16.4), how firmware is called (FADT, 5.2.9.4). Pure functions;
 * drivers/arm_acpi.c uses them. */
#ifndef DRIVERS_ACPI_GIC_H
#define DRIVERS_ACPI_GIC_H

#include "drivers/acpi_format.h"

#define ACPI_GIC_AREAS_MAX 64u

struct acpi_gic {
    uint32_t cpus, disabled; /* GICC entries, disabled ones among them */
    uint32_t version;        /* of the GICD entry; 0: it does not say */
    uint64_t distributor_phys, cpu_interface_phys;
    uint32_t nr_areas, areas_lost;
    struct {
        uint64_t phys, bytes;
    } areas[ACPI_GIC_AREAS_MAX]; /* of redistributors; neighbours are joined */
};

/* Calls cpu() for every GICC entry; hw_id: the affinity fields of MPIDR. Only the "enabled" flag
 * counts. Redistributors come from GICR entries, or, where there are none, from the GICC entries.
 */
typedef void acpi_gicc_fn(void *arg, uint64_t hw_id, uint32_t uid, bool enabled);
void acpi_gic_parse(const void *table, size_t bytes, acpi_gicc_fn *cpu, void *arg,
                    struct acpi_gic *out, struct acpi_issues *issues);

/* Calls fn() for every enabled GICC affinity entry of the SRAT; returns how many. */
typedef void acpi_uid_domain_fn(void *arg, uint32_t uid, uint32_t domain);
uint32_t acpi_srat_gicc_parse(const void *table, size_t bytes, acpi_uid_domain_fn *fn, void *arg,
                              struct acpi_issues *issues);

/* ARM_BOOT_ARCH of the FADT. */
struct acpi_arm_boot {
    bool has_psci, psci_by_hvc;
};
struct acpi_arm_boot acpi_arm_boot_parse(const void *table, size_t bytes);

#endif
