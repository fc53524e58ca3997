/* SPDX-License-Identifier: Apache-2.0 */
/* MADT: the table of interrupt controllers, which lists the CPUs (ACPI 6.5, 5.2.12). */
#ifndef DRIVERS_ACPI_MADT_H
#define DRIVERS_ACPI_MADT_H

#include "drivers/acpi_format.h"

struct acpi_madt {
    uint64_t local_apic_phys;
    uint32_t local_apics, x2apics; /* entries that list a CPU, disabled ones too */
    uint32_t disabled, padding;
};

/* Calls cpu() for every entry of type 0 and 9 that is not padding. Only the "enabled" flag counts:
 * a CPU that is merely "online capable" is a free socket of a hypervisor. */
typedef void acpi_cpu_fn(void *arg, uint64_t apic_id, uint32_t uid, bool enabled);
void acpi_madt_parse(const void *table, size_t bytes, acpi_cpu_fn *cpu, void *arg,
                     struct acpi_madt *out, struct acpi_issues *issues);

#endif
