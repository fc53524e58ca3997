/* SPDX-License-Identifier: Apache-2.0 */
/* SLIT: relative distances of proximity domains (ACPI 6.5, 5.2.17). */
#ifndef DRIVERS_ACPI_SLIT_H
#define DRIVERS_ACPI_SLIT_H

#include "drivers/acpi_format.h"

/* Calls fn() for every pair; values below 10 are reserved, and issues. Returns how many domains the
 * table has, 0 where it is too short for them. */
typedef void acpi_distance_fn(void *arg, uint32_t from, uint32_t to, uint8_t distance);
uint32_t acpi_slit_parse(const void *table, size_t bytes, acpi_distance_fn *fn, void *arg,
                         struct acpi_issues *issues);

#endif
