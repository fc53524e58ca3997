/* SPDX-License-Identifier: Apache-2.0 */
/* SRAT: which CPUs and which memory belong together (ACPI 6.5, 5.2.16). */
#ifndef DRIVERS_ACPI_SRAT_H
#define DRIVERS_ACPI_SRAT_H

#include "drivers/acpi_format.h"

struct acpi_srat {
    uint32_t cpus, memory_ranges; /* enabled entries */
    uint32_t hot_plug;            /* memory ranges that are (also) room for more */
    uint32_t disabled;
};

/*
 * Calls cpu() for every enabled entry of type 0 and 2, memory() for those of type 1. A range of no
 * bytes is passed over; one that wraps or goes beyond 2^52 is an issue. Hot-plug ranges are passed
 * on: they can hold memory, and where they hold none nobody asks for their node.
 */
typedef void acpi_cpu_domain_fn(void *arg, uint64_t apic_id, uint32_t domain);
typedef void acpi_memory_domain_fn(void *arg, uint64_t base, uint64_t bytes, uint32_t domain);
void acpi_srat_parse(const void *table, size_t bytes, acpi_cpu_domain_fn *cpu,
                     acpi_memory_domain_fn *memory, void *arg, struct acpi_srat *out,
                     struct acpi_issues *issues);

#endif
