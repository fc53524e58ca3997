/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which serial ports are tried as consoles, in which order (drivers/serial_ports.h): the ones that
 * console= and firmware name become consoles here, in front of those that are tried unasked.
 *
 * I1. An address is one console's: whoever comes first has it.
 */
#include "drivers/serial_ports.h"

#include "boot/handoff.h"
#include "core/errno.h"
#include "core/format.h"
#include "core/init.h"
#include "core/param.h"
#include "core/string.h"
#include "drivers/acpi.h"
#include "drivers/acpi_spcr.h"
#include "drivers/serial_param.h"

#define PARAM_SLOTS 4u /* devices that console= can name */
#define SLOTS_MAX 8u   /* and with those that firmware names */
#define TAKEN_MAX 16u
#define NAME_BYTES 12u

static int serial_no_device(struct console *con)
{
    return -CS_ENODEV;
}

static size_t serial_write_nothing(struct console *con, const char *text, size_t bytes)
{
    return 0;
}

static char slot_names[SLOTS_MAX][NAME_BYTES];
static struct serial_slot slots[SLOTS_MAX];

#define SLOT(number)                                                                               \
    static struct console slot_##number = {.name = "",                                             \
                                           .probe = serial_no_device,                              \
                                           .write = serial_write_nothing,                          \
                                           .driver = &slots[number].uart};                         \
    CONSOLE_DRIVER(slot_##number)

SLOT(0);
SLOT(1);
SLOT(2);
SLOT(3);
SLOT(4);
SLOT(5);
SLOT(6);
SLOT(7);

static struct console *const slot_consoles[SLOTS_MAX] = {&slot_0, &slot_1, &slot_2, &slot_3,
                                                         &slot_4, &slot_5, &slot_6, &slot_7};
static unsigned nr_slots, nr_legacy_named, nr_memory_named, nr_pl011_named;

/* --- who has which address --- */

static struct serial_port taken[TAKEN_MAX];
static unsigned nr_taken;

bool serial_is_taken(const struct serial_port *port)
{
    for (unsigned i = 0; i < nr_taken; i++)
        if (taken[i].is_io == port->is_io && taken[i].address == port->address)
            return true;
    return false;
}

static const struct serial_driver *serial_find_driver(const struct serial_port *port)
{
    for (REGISTRY_EACH(serial_drivers, const struct serial_driver, p))
        if ((*p)->kind == port->kind && (*p)->is_io == port->is_io)
            return *p;
    return NULL;
}

/* The speed that console= gives a port by its name: "ttyS0,9600". */
static void serial_take_speed(struct serial_slot *slot, const char *name)
{
    const char *list = console_asked();
    struct serial_word word;

    while (serial_param_next(&list, &word))
        if (!word.why && word.port.kind == SERIAL_NONE && word.port.divisor &&
            text_is(word.text, word.name_bytes, name)) {
            slot->port.divisor = word.port.divisor;
            slot->port.line = word.port.line;
        }
}

int serial_slot_probe(struct console *con)
{
    struct serial_slot *slot = serial_slot_of(con);
    const struct serial_driver *driver = serial_find_driver(&slot->port);
    int error;

    if (!driver || nr_taken == TAKEN_MAX || serial_is_taken(&slot->port))
        return -CS_ENODEV;
    serial_take_speed(slot, con->name);
    slot->uart.divisor = slot->port.divisor;
    slot->uart.line = slot->port.line;
    error = driver->probe(con);
    if (!error)
        taken[nr_taken++] = slot->port;
    return error;
}

/* --- the ports that are named --- */

static bool is_named_already(const struct serial_port *port)
{
    for (unsigned i = 0; i < nr_slots; i++)
        if (slots[i].port.is_io == port->is_io && slots[i].port.address == port->address)
            return true;
    return false;
}

/* ttyS0 … for a PC's own ports, whoever names them; else by what it is. */
static void make_name(char name[NAME_BYTES], const struct serial_port *port)
{
    static const uint16_t legacy[] = {0x3F8, 0x2F8, 0x3E8, 0x2E8};

    for (unsigned i = 0; port->is_io && i < ARRAY_LEN(legacy); i++)
        if (legacy[i] == port->address) {
            format_text(name, NAME_BYTES, "ttyS%u", i);
            return;
        }
    if (port->kind == SERIAL_PL011)
        format_text(name, NAME_BYTES, "ttyAMA%u", nr_pl011_named++);
    else if (port->is_io)
        format_text(name, NAME_BYTES, "ttyS%u", (unsigned)ARRAY_LEN(legacy) + nr_legacy_named++);
    else
        format_text(name, NAME_BYTES, "ttyMS%u", nr_memory_named++);
}

static void add_port(const struct serial_port *port, int rank, const char *name)
{
    const struct serial_driver *driver = serial_find_driver(port);
    struct console *con;

    if (port->kind == SERIAL_NONE || !driver || nr_slots == SLOTS_MAX || is_named_already(port))
        return;
    con = slot_consoles[nr_slots];
    if (name)
        format_text(slot_names[nr_slots], NAME_BYTES, "%s", name);
    else
        make_name(slot_names[nr_slots], port);
    slots[nr_slots].port = *port;
    con->name = slot_names[nr_slots];
    con->rank = rank - (int)nr_slots;
    con->probe = serial_slot_probe;
    con->write = driver->write;
    con->read = driver->read;
    serial_set_peer(con, driver, rank);
    nr_slots++;
}

static bool console_is_registered(const char *name, size_t bytes)
{
    for (REGISTRY_EACH(consoles, struct console, p))
        if (bytes && text_is(name, bytes, (*p)->name))
            return true;
    return false;
}

static void add_params(void)
{
    const char *list = console_asked();
    struct serial_word word;

    while (serial_param_next(&list, &word)) {
        if (!word.why && word.port.kind != SERIAL_NONE && nr_slots == PARAM_SLOTS)
            word.why = "is one device more than there is room for";
        if (!word.why && word.port.kind != SERIAL_NONE && !serial_find_driver(&word.port))
            word.why = "is nothing that machines of this kind have";
        if (word.why)
            param_error("console", console_asked(), "\"%.*s\", at character %u, %s",
                        (int)word.bytes, word.text, (unsigned)(word.text - console_asked()) + 1,
                        word.why);
        else
            add_port(&word.port, SERIAL_RANK_PARAM,
                     word.port.kind == SERIAL_PL011 ? "pl011" : "uart");
    }
}

/* Behind all others: now every name is known. */
static void check_names(void)
{
    const char *list = console_asked();
    struct serial_word word;

    while (serial_param_next(&list, &word))
        if (!word.why && word.port.kind == SERIAL_NONE &&
            !console_is_registered(word.text, word.name_bytes))
            param_error(
                "console", console_asked(),
                "\"%.*s\", at character %u, is no console's name, nor uart,... or pl011,...",
                (int)word.bytes, word.text, (unsigned)(word.text - console_asked()) + 1);
}

static void add_boot_port(void)
{
    const struct boot_console *from = &kernel_handoff->console;
    struct serial_port port = {
        .kind = from->kind == BOOT_CONSOLE_PL011   ? SERIAL_PL011
                : from->kind == BOOT_CONSOLE_16550 ? SERIAL_16550
                                                   : SERIAL_NONE,
        .address = from->phys,
        .register_shift = MIN(from->register_shift, 3u),
        .access_bytes =
            from->register_bytes == 2 || from->register_bytes == 4 ? from->register_bytes : 1,
    };

    if (port.address % port.access_bytes == 0)
        add_port(&port, SERIAL_RANK_FIRMWARE, NULL);
}

static void add_debugger_port(void *arg, const struct serial_port *port)
{
    add_port(port, SERIAL_RANK_DEBUGGER, NULL);
}

static void add_acpi_ports(void)
{
    struct acpi_issues issues = {.table = "SPCR"};
    struct serial_port port;
    size_t bytes;
    const void *table = acpi_table("SPCR", 0, &bytes);

    if (table && acpi_spcr_parse(table, bytes, &port, &issues) == 0)
        add_port(&port, SERIAL_RANK_FIRMWARE, NULL);
    table = acpi_table("DBG2", 0, &bytes);
    issues = (struct acpi_issues){.table = "DBG2"};
    if (table)
        acpi_dbg2_parse(table, bytes, add_debugger_port, NULL, &issues);
}

static void serial_ports_init(void)
{
    add_params();
    add_boot_port();
    add_acpi_ports();
    check_names();
}
INIT_FN(serial_ports_init, INIT_CONSOLE, 10);
