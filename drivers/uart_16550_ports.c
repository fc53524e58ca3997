/* SPDX-License-Identifier: Apache-2.0 */
/* The four legacy serial ports of a PC: consoles ttyS0 … ttyS3. A port that is not there reads as
 * 0xFF everywhere, or as anything that does not keep what is written. */
#include <arch/pio.h>

#include "drivers/uart_16550.h"

struct uart_port {
    struct uart_io io;
    uint16_t port;
    struct uart uart;
};

static uint16_t uart_port_of(const struct uart_io *io, unsigned reg)
{
    return (uint16_t)(CONTAINER_OF(io, const struct uart_port, io)->port + reg);
}

static uint8_t uart_port_read(const struct uart_io *io, unsigned reg)
{
    return pio_read8(uart_port_of(io, reg));
}

static void uart_port_write(const struct uart_io *io, unsigned reg, uint8_t value)
{
    pio_write8(uart_port_of(io, reg), value);
}

static void uart_port_write_many(const struct uart_io *io, const char *text, size_t bytes)
{
    pio_write8_many(uart_port_of(io, 0), text, bytes);
}

#define UART_CONSOLE(id, port_, name_, rank_)                                                      \
    static struct uart_port uart_##id = {                                                          \
        .io = {uart_port_read, uart_port_write, uart_port_write_many},                             \
        .port = port_,                                                                             \
        .uart = {.io = &uart_##id.io}};                                                            \
    static struct console uart_console_##id = {.name = name_,                                      \
                                               .rank = rank_,                                      \
                                               .probe = uart_probe,                                \
                                               .write = uart_write,                                \
                                               .read = uart_read,                                  \
                                               .driver = &uart_##id.uart};                         \
    CONSOLE_DRIVER(uart_console_##id)

UART_CONSOLE(com1, 0x3F8, "ttyS0", 104);
UART_CONSOLE(com2, 0x2F8, "ttyS1", 103);
UART_CONSOLE(com3, 0x3E8, "ttyS2", 102);
UART_CONSOLE(com4, 0x2E8, "ttyS3", 101);
