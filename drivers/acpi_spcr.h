/* SPDX-License-Identifier: Apache-2.0 */
/* The serial ports that ACPI names: SPCR, firmware's console (Microsoft, "Serial Port Console
 * Redirection Table", 1.10), and DBG2, ports for debuggers (Microsoft, "Debug Port Table 2"). */
#ifndef DRIVERS_ACPI_SPCR_H
#define DRIVERS_ACPI_SPCR_H

#include "drivers/acpi_format.h"
#include "drivers/serial_ports.h"

/* Fills *out for a UART that we have a driver for; kind SERIAL_NONE for any other. 0, or -CS_EINVAL
 * when the table is too short. */
int acpi_spcr_parse(const void *table, size_t bytes, struct serial_port *out,
                    struct acpi_issues *issues) must_check;

/* Calls fn() for every UART of the table that we have a driver for. */
typedef void acpi_serial_fn(void *arg, const struct serial_port *port);
void acpi_dbg2_parse(const void *table, size_t bytes, acpi_serial_fn *fn, void *arg,
                     struct acpi_issues *issues);

/* What both tables have: interface type and generic address. */
void acpi_serial_port(unsigned interface, struct acpi_address at, struct serial_port *out);

#endif
