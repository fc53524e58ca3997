/* SPDX-License-Identifier: Apache-2.0 */
/* A 16550 in memory that firmware names as the console (drivers/serial_ports.h): ttyMS0, ttyMS1.
 * Its registers lie 1, 2 or 4 bytes apart and are accessed 1, 2 or 4 bytes at once; the line stays
 * as firmware set it. */
#include <arch/mmu.h>

#include "core/errno.h"
#include "drivers/serial_ports.h"
#include "drivers/uart_16550.h"

#define UART_REGISTERS 8u

struct uart_memory {
    struct uart_io io;
    unsigned index; /* among the 16550s that firmware names */
    unsigned shift, access_bytes;
    volatile char *registers;
    struct uart uart;
};

static volatile void *uart_memory_at(const struct uart_io *io, unsigned reg, unsigned *access_bytes)
{
    const struct uart_memory *m = CONTAINER_OF(io, const struct uart_memory, io);

    *access_bytes = m->access_bytes;
    return m->registers + ((size_t)reg << m->shift);
}

static uint8_t uart_memory_read(const struct uart_io *io, unsigned reg)
{
    unsigned access_bytes;
    volatile void *at = uart_memory_at(io, reg, &access_bytes);

    return (uint8_t)(access_bytes == 4   ? *(volatile uint32_t *)at
                     : access_bytes == 2 ? *(volatile uint16_t *)at
                                         : *(volatile uint8_t *)at);
}

static void uart_memory_write(const struct uart_io *io, unsigned reg, uint8_t value)
{
    unsigned access_bytes;
    volatile void *at = uart_memory_at(io, reg, &access_bytes);

    if (access_bytes == 4)
        *(volatile uint32_t *)at = value;
    else if (access_bytes == 2)
        *(volatile uint16_t *)at = value;
    else
        *(volatile uint8_t *)at = value;
}

static void uart_memory_write_many(const struct uart_io *io, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        uart_memory_write(io, 0, (uint8_t)text[i]);
}

static int uart_memory_probe(struct console *con)
{
    struct uart *uart = con->driver;
    struct uart_memory *m = CONTAINER_OF(uart, struct uart_memory, uart);
    struct boot_console port;

    if (!serial_port(BOOT_CONSOLE_16550, m->index, &port) || port.register_shift > 2 ||
        port.phys % port.register_bytes)
        return -CS_ENODEV;
    m->shift = port.register_shift;
    m->access_bytes = port.register_bytes;
    m->registers = arch_map_device(port.phys, UART_REGISTERS << m->shift);
    return m->registers ? uart_probe(con) : -CS_ENODEV;
}

#define UART_MEMORY_CONSOLE(number, rank_)                                                         \
    static struct uart_memory uart_memory_##number = {                                             \
        .io = {uart_memory_read, uart_memory_write, uart_memory_write_many},                       \
        .index = number,                                                                           \
        .uart = {.io = &uart_memory_##number.io, .keep_line = true}};                              \
    static struct console uart_memory_console_##number = {.name = "ttyMS" #number,                 \
                                                          .rank = rank_,                           \
                                                          .probe = uart_memory_probe,              \
                                                          .write = uart_write,                     \
                                                          .read = uart_read,                       \
                                                          .driver = &uart_memory_##number.uart};   \
    CONSOLE_DRIVER(uart_memory_console_##number)

UART_MEMORY_CONSOLE(0, 108);
UART_MEMORY_CONSOLE(1, 107);
