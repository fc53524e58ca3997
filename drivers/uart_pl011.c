/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PL011: the UART of Arm machines, and its subset of the SBSA ("generic UART"), where console= or
 * firmware names one.
 *
 * Registers: Arm DDI 0183G, 3.3; Arm BSA, appendix B. Firmware has set the line, and the SBSA form
 * has no registers for it: only interrupts are masked here, and the transmitter is switched on.
 *
 * I1. No loop has more rounds than its stated time allows: a transmitter that never empties costs
 *     PL011_STALL_MS once, then core/console.c marks the console dead.
 */
#include <arch/mmu.h>

#include "core/errno.h"
#include "core/memory_map.h"
#include "core/time.h"
#include "drivers/serial_ports.h"

#define PL011_DATA 0x000u
#define PL011_FLAGS 0x018u
#define PL011_INTERRUPT_MASK 0x038u
#define PL011_BYTES 0x1000u
#define PL011_FLAG_FULL (1u << 5)
#define PL011_FLAG_EMPTY (1u << 4) /* receiver */
#define PL011_MASKS 0x30u          /* receiver, transmitter */
#define PL011_FLAGS_ABSENT 0xffffffffu
#define PL011_STALL_MS 5000u
#define PL011_DATA_BROKEN 0x700u /* framing, parity, break */
#define PL011_BAD_BYTES_MAX 16u

static uint32_t pl011_read_register(const struct uart *uart, unsigned reg)
{
    return *(volatile uint32_t *)(uart->registers + reg);
}

static void pl011_write_register(const struct uart *uart, unsigned reg, uint32_t value)
{
    *(volatile uint32_t *)(uart->registers + reg) = value;
}

static uint32_t pl011_flags(const struct uart *uart)
{
    return pl011_read_register(uart, PL011_FLAGS);
}

/* Registers that keep nothing are no UART's: what is not there may read as anything. Both forms
 * have the masks of the receiver and the transmitter; the CPU takes no interrupts meanwhile. */
static bool pl011_keeps_mask(const struct uart *uart, uint32_t mask)
{
    pl011_write_register(uart, PL011_INTERRUPT_MASK, mask);
    return (pl011_read_register(uart, PL011_INTERRUPT_MASK) & PL011_MASKS) == mask;
}

static int pl011_probe(struct console *con)
{
    struct serial_slot *slot = serial_slot_of(con);

    if (slot->port.address % 4 || memory_map_overlaps(slot->port.address, PL011_BYTES))
        return -CS_ENODEV;
    slot->uart.registers = arch_map_device(slot->port.address, PL011_BYTES);
    if (!slot->uart.registers || pl011_flags(&slot->uart) == PL011_FLAGS_ABSENT)
        return -CS_ENODEV;
    return pl011_keeps_mask(&slot->uart, PL011_MASKS) && pl011_keeps_mask(&slot->uart, 0)
               ? 0
               : -CS_ENODEV;
}

static bool pl011_wait_room(const struct uart *uart)
{
    uint64_t start, limit;

    if (!(pl011_flags(uart) & PL011_FLAG_FULL))
        return true;
    start = arch_stamp_loose();
    limit = time_ms_to_ticks(uart->stall_ms ? uart->stall_ms : PL011_STALL_MS);
    do {
        if (!(pl011_flags(uart) & PL011_FLAG_FULL))
            return true;
    } while (arch_stamp_loose() - start < limit);
    return false;
}

static size_t pl011_write(struct console *con, const char *text, size_t bytes)
{
    const struct uart *uart = con->driver;
    size_t done = 0;

    for (; done < bytes && pl011_wait_room(uart); done++)
        pl011_write_register(uart, PL011_DATA, (uint8_t)text[done]);
    return done;
}

/* Bytes that came in broken are passed over, a few at a call. */
static int pl011_read(struct console *con)
{
    const struct uart *uart = con->driver;

    for (unsigned bad = 0; bad < PL011_BAD_BYTES_MAX; bad++) {
        uint32_t data;

        if (pl011_flags(uart) & PL011_FLAG_EMPTY)
            return -1;
        data = pl011_read_register(uart, PL011_DATA);
        if (!(data & PL011_DATA_BROKEN))
            return data & 0xff;
    }
    return -1;
}

static const struct serial_driver pl011_driver = {
    .kind = SERIAL_PL011, .probe = pl011_probe, .write = pl011_write, .read = pl011_read};
SERIAL_DRIVER(pl011_driver);
