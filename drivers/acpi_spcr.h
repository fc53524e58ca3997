/* SPDX-License-Identifier: Apache-2.0 */
/* SPCR: the serial port that firmware uses as console (Microsoft, "Serial Port Console Redirection
 * Table", 1.10). */
#ifndef DRIVERS_ACPI_SPCR_H
#define DRIVERS_ACPI_SPCR_H

#include "boot/handoff.h"
#include "drivers/acpi_format.h"

/* Fills *out for a UART in memory that we have a driver for; kind NONE for any other. 0, or
 * -CS_EINVAL when the table is too short. */
int acpi_spcr_parse(const void *table, size_t bytes, struct boot_console *out,
                    struct acpi_issues *issues) must_check;

#endif
