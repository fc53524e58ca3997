/* SPDX-License-Identifier: Apache-2.0 */
/* MCFG: where PCI configuration space is in memory (PCI Firmware Specification 3.3, 4.1.2). */
#ifndef DRIVERS_ACPI_MCFG_H
#define DRIVERS_ACPI_MCFG_H

#include "drivers/acpi_format.h"

struct acpi_mcfg {
    uint64_t phys; /* of bus 0, whether it has it or not; 0: none */
    uint8_t first_bus, last_bus;
};

/* The area of segment 0. */
struct acpi_mcfg acpi_mcfg_parse(const void *table, size_t bytes, struct acpi_issues *issues);

#endif
