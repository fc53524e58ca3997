/* SPDX-License-Identifier: Apache-2.0 */
/* 16550s behind I/O ports: the four legacy ones of a PC, ttyS0 … ttyS3, tried wherever they may be,
 * and those that console= or firmware names. A port that is not there reads as 0xFF everywhere, or
 * as anything that does not keep what is written. */
#include <arch/pio.h>

#include "core/errno.h"
#include "drivers/serial_ports.h"

static uint16_t uart_port_of(const struct uart *uart, unsigned reg)
{
    return (uint16_t)(uart->port + reg);
}

static uint8_t uart_port_read(const struct uart *uart, unsigned reg)
{
    return pio_read8(uart_port_of(uart, reg));
}

static void uart_port_write(const struct uart *uart, unsigned reg, uint8_t value)
{
    pio_write8(uart_port_of(uart, reg), value);
}

static void uart_port_write_many(const struct uart *uart, const char *text, size_t bytes)
{
    pio_write8_many(uart_port_of(uart, 0), text, bytes);
}

const struct uart_bus uart_port_bus = {uart_port_read, uart_port_write, uart_port_write_many};

static int uart_port_probe(struct console *con)
{
    struct serial_slot *slot = serial_slot_of(con);

    slot->uart.port = (uint16_t)slot->port.address;
    slot->uart.bus = &uart_port_bus;
    return uart_probe(con);
}

static const struct serial_driver uart_port_driver = {
    .kind = SERIAL_16550,
    .is_io = true,
    .probe = uart_port_probe,
    .write = uart_write,
    .read = uart_read,
    .has_peer = uart_has_peer,
};
SERIAL_DRIVER(uart_port_driver);

#define UART_CONSOLE(id, port_, name_, rank_)                                                      \
    static struct serial_slot uart_##id = {.port = {.kind = SERIAL_16550,                          \
                                                    .is_io = true,                                 \
                                                    .address = port_,                              \
                                                    .divisor = 1,                                  \
                                                    .line = UART_LCR_8N1}};                        \
    static struct console uart_console_##id = {.name = name_,                                      \
                                               .rank = rank_,                                      \
                                               .probe = serial_slot_probe,                         \
                                               .write = uart_write,                                \
                                               .read = uart_read,                                  \
                                               .has_peer = uart_has_peer,                          \
                                               .driver = &uart_##id.uart};                         \
    CONSOLE_DRIVER(uart_console_##id)

UART_CONSOLE(com1, 0x3F8, "ttyS0", SERIAL_RANK_LEGACY + 3);
UART_CONSOLE(com2, 0x2F8, "ttyS1", SERIAL_RANK_LEGACY + 2);
UART_CONSOLE(com3, 0x3E8, "ttyS2", SERIAL_RANK_LEGACY + 1);
UART_CONSOLE(com4, 0x2E8, "ttyS3", SERIAL_RANK_LEGACY);
