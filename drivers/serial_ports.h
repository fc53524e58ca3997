/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serial ports as consoles: who names them, in which order they are tried, who drives them.
 *
 *   1. console=uart,… and pl011,…     drivers/serial_param.h
 *   2. the boot path (device tree's stdout-path)
 *   3. SPCR, then 4. DBG2             drivers/acpi_spcr.h
 *   5. legacy ports, tried            drivers/uart_16550_ports.c
 *   6. PCI serial cards, tried, only where none of the above answers    drivers/uart_pci.c
 *
 * All that answer get the output (but for 6), whichever cable is plugged in; input is taken from
 * all, the best one first. A port that several of them name is one console. With console= only what
 * it names is used.
 */
#ifndef DRIVERS_SERIAL_PORTS_H
#define DRIVERS_SERIAL_PORTS_H

#include "core/console.h"
#include "drivers/uart_16550.h"

#define SERIAL_RANK_PARAM 140
#define SERIAL_RANK_FIRMWARE 120
#define SERIAL_RANK_DEBUGGER 110 /* DBG2 */
#define SERIAL_RANK_LEGACY 101
#define SERIAL_RANK_PCI 91

enum serial_kind { SERIAL_NONE, SERIAL_16550, SERIAL_PL011 };

struct serial_port {
    enum serial_kind kind;
    bool is_io;              /* I/O ports */
    unsigned register_shift; /* 16550 in memory: registers are 1 << this bytes apart */
    unsigned access_bytes;   /* and are accessed 1, 2 or 4 bytes at once */
    uint64_t address;
    /* As in struct uart: 0 keeps the line as it is. */
    unsigned divisor;
    uint8_t line;
};

/* One that is tried or in use; con->driver is &slot->uart. */
struct serial_slot {
    struct serial_port port;
    struct uart uart;
};

static inline struct serial_slot *serial_slot_of(const struct console *con)
{
    return CONTAINER_OF((struct uart *)con->driver, struct serial_slot, uart);
}

/* Probe of every slot: by the driver of its kind, unless another console has the port already. */
int serial_slot_probe(struct console *con);
/* Another console has it. */
bool serial_is_taken(const struct serial_port *port);

struct serial_driver {
    enum serial_kind kind;
    bool is_io;
    /* Maps the registers, looks for the device. 0, or -CS_ENODEV. */
    int (*probe)(struct console *con);
    size_t (*write)(struct console *con, const char *text, size_t bytes);
    int (*read)(struct console *con);
    /* As in struct console: NULL where that cannot be told. */
    bool (*has_peer)(struct console *con);
};

/* Who names a port knows that it leads somewhere, but for DBG2: firmware lists a port for debuggers
 * whether there is one or not, so its lines are asked. */
static inline void serial_set_peer(struct console *con, const struct serial_driver *driver, int rank)
{
    con->has_peer = rank == SERIAL_RANK_DEBUGGER ? driver->has_peer : NULL;
}

REGISTRY_DECLARE(serial_drivers, const struct serial_driver);
#define SERIAL_DRIVER(object) REGISTRY_ADD(serial_drivers, const struct serial_driver, object)

#endif
