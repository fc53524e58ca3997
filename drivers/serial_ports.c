/* SPDX-License-Identifier: Apache-2.0 */
/* Which serial ports firmware names as consoles (drivers/serial_ports.h): the boot path's first,
 * then the SPCR's, if that is another one. */
#include "drivers/serial_ports.h"

#include "core/init.h"
#include "drivers/acpi.h"
#include "drivers/acpi_spcr.h"

#define SERIAL_PORTS_MAX 2u

static struct boot_console serial_ports[SERIAL_PORTS_MAX];
static unsigned serial_nr_ports;

static void serial_add(const struct boot_console *port)
{
    if (port->kind == BOOT_CONSOLE_NONE || (serial_nr_ports && port->phys == serial_ports[0].phys))
        return;
    serial_ports[serial_nr_ports] = *port;
    if (port->register_bytes != 2 && port->register_bytes != 4)
        serial_ports[serial_nr_ports].register_bytes = 1;
    serial_nr_ports++;
}

static void serial_look(void)
{
    struct acpi_issues issues = {.table = "SPCR"};
    struct boot_console port;
    size_t bytes;
    const void *table = acpi_table("SPCR", 0, &bytes);

    serial_add(&kernel_handoff->console);
    if (table && acpi_spcr_parse(table, bytes, &port, &issues) == 0)
        serial_add(&port);
}

bool serial_port(enum boot_console_kind kind, unsigned i, struct boot_console *out)
{
    static bool looked;

    if (!looked) {
        looked = true;
        serial_look();
    }
    for (unsigned n = 0; n < serial_nr_ports; n++)
        if (serial_ports[n].kind == kind && !i--) {
            *out = serial_ports[n];
            return true;
        }
    return false;
}
