/* SPDX-License-Identifier: Apache-2.0 */
/* 16550s whose registers are in memory: 1, 2 or 4 bytes apart or more, accessed 1, 2 or 4 bytes at
 * once. */
#include <arch/mmu.h>

#include "core/errno.h"
#include "core/memory_map.h"
#include "drivers/serial_ports.h"

static volatile void *uart_memory_at(const struct uart *uart, unsigned reg)
{
    return uart->registers + ((size_t)reg << uart->shift);
}

static uint8_t uart_memory_read(const struct uart *uart, unsigned reg)
{
    volatile void *at = uart_memory_at(uart, reg);

    return (uint8_t)(uart->access_bytes == 4   ? *(volatile uint32_t *)at
                     : uart->access_bytes == 2 ? *(volatile uint16_t *)at
                                               : *(volatile uint8_t *)at);
}

static void uart_memory_write(const struct uart *uart, unsigned reg, uint8_t value)
{
    volatile void *at = uart_memory_at(uart, reg);

    if (uart->access_bytes == 4)
        *(volatile uint32_t *)at = value;
    else if (uart->access_bytes == 2)
        *(volatile uint16_t *)at = value;
    else
        *(volatile uint8_t *)at = value;
}

static void uart_memory_write_many(const struct uart *uart, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        uart_memory_write(uart, 0, (uint8_t)text[i]);
}

const struct uart_bus uart_memory_bus = {uart_memory_read, uart_memory_write,
                                         uart_memory_write_many};

static int uart_memory_probe(struct console *con)
{
    struct serial_slot *slot = serial_slot_of(con);
    size_t bytes = (size_t)UART_REGISTERS << slot->port.register_shift;

    if (memory_map_overlaps(slot->port.address, bytes))
        return -CS_ENODEV; /* it would be written over */
    slot->uart.registers = arch_map_device(slot->port.address, bytes);
    slot->uart.shift = slot->port.register_shift;
    slot->uart.access_bytes = slot->port.access_bytes;
    slot->uart.bus = &uart_memory_bus;
    return slot->uart.registers ? uart_probe(con) : -CS_ENODEV;
}

static const struct serial_driver uart_memory_driver = {
    .kind = SERIAL_16550,
    .probe = uart_memory_probe,
    .write = uart_write,
    .read = uart_read,
    .has_peer = uart_has_peer,
};
SERIAL_DRIVER(uart_memory_driver);
