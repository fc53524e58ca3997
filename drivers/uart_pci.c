/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 16550s on PCI cards, tried only where no other line answers: ttyPCI0 … ttyPCI3, in the order of
 * the buses; a card may have several.
 *
 * Class 07h, subclass 00h (serial) and 02h (several serial ports). Behind I/O ports there is one
 * UART every 8 of them, as far as the address register reaches; in memory only the first is known,
 * since every maker has another distance. What is there is found by the UART's own probe; a card on
 * which none is found is left switched on or off as it was.
 */
#include "core/errno.h"
#include "core/memory_map.h"
#include "drivers/pci.h"
#include "drivers/serial_ports.h"

#define CLASS_SERIAL 0x0700u
#define CLASS_MULTIPORT 0x0702u
#define CARD_PORTS_MAX 8u
#define IO_MIN 0x400u /* below are the board's own devices, whatever a register says */

struct uart_pci_search {
    struct console *con;
    bool found;
};

static bool uart_pci_try(struct console *con, const struct serial_port *port)
{
    serial_slot_of(con)->port = *port;
    return serial_slot_probe(con) == 0;
}

static bool uart_pci_try_bar(struct console *con, const struct pci_bar *bar)
{
    struct serial_port port = {.kind = SERIAL_16550,
                               .is_io = bar->is_io,
                               .access_bytes = 1,
                               .address = bar->base,
                               .divisor = 1,
                               .line = UART_LCR_8N1};
    uint64_t ports = bar->is_io ? MIN(bar->bytes / UART_REGISTERS, CARD_PORTS_MAX) : 1;

    if (bar->bytes < UART_REGISTERS || (bar->is_io && bar->base < IO_MIN) ||
        (!bar->is_io && memory_map_overlaps(bar->base, bar->bytes)))
        return false;
    for (uint64_t i = 0; i < ports; i++, port.address += UART_REGISTERS)
        if (uart_pci_try(con, &port))
            return true;
    return false;
}

static bool uart_pci_try_card(void *arg, struct pci_function at)
{
    struct uart_pci_search *search = arg;
    uint32_t class = pci_read(at, PCI_CLASS) >> 16, command;

    if (class != CLASS_SERIAL && class != CLASS_MULTIPORT)
        return false;
    command = pci_read(at, PCI_COMMAND) & 0xffff;
    for (unsigned i = 0; i < PCI_BARS && !search->found;) {
        struct pci_bar bar = pci_bar(at, i);

        pci_write(at, PCI_COMMAND, command | (bar.is_io ? PCI_COMMAND_IO : PCI_COMMAND_MEMORY));
        search->found = uart_pci_try_bar(search->con, &bar);
        if (!search->found)
            pci_write(at, PCI_COMMAND, command);
        i += bar.registers;
    }
    return search->found;
}

static int uart_pci_probe(struct console *con)
{
    struct uart_pci_search search = {.con = con};

    pci_each_function(uart_pci_try_card, &search);
    return search.found ? 0 : -CS_ENODEV;
}

#define UART_PCI_CONSOLE(number)                                                                   \
    static struct serial_slot uart_pci_##number;                                                   \
    static struct console uart_pci_console_##number = {.name = "ttyPCI" #number,                   \
                                                       .rank = SERIAL_RANK_PCI + 3 - (number),     \
                                                       .last_resort = true,                        \
                                                       .probe = uart_pci_probe,                    \
                                                       .write = uart_write,                        \
                                                       .read = uart_read,                          \
                                                       .has_peer = uart_has_peer,                  \
                                                       .driver = &uart_pci_##number.uart};         \
    CONSOLE_DRIVER(uart_pci_console_##number)

UART_PCI_CONSOLE(0);
UART_PCI_CONSOLE(1);
UART_PCI_CONSOLE(2);
UART_PCI_CONSOLE(3);
