/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PL011: the UART of Arm machines, and its subset of the SBSA ("generic UART"); consoles ttyAMA0
 * and ttyAMA1.
 *
 * Registers: Arm DDI 0183G, 3.3; Arm BSA, appendix B. Firmware has set the line, and the SBSA form
 * has no registers for it: only interrupts are masked here, and the transmitter is switched on.
 *
 * I1. No loop has more rounds than its stated time allows: a transmitter that never empties costs
 *     PL011_STALL_MS once, then core/console.c marks the console dead.
 */
#include <arch/mmu.h>

#include "core/console.h"
#include "core/errno.h"
#include "core/time.h"
#include "drivers/serial_ports.h"

#define PL011_DATA 0x000u
#define PL011_FLAGS 0x018u
#define PL011_INTERRUPT_MASK 0x038u
#define PL011_BYTES 0x1000u
#define PL011_FLAG_FULL (1u << 5)
#define PL011_FLAG_EMPTY (1u << 4) /* receiver */
#define PL011_FLAGS_ABSENT 0xffffffffu
#define PL011_STALL_MS 5000u

struct pl011 {
    unsigned index; /* among the PL011s that firmware names */
    volatile uint32_t *registers;
};

static uint32_t pl011_flags(const struct pl011 *uart)
{
    return uart->registers[PL011_FLAGS / 4];
}

static int pl011_probe(struct console *con)
{
    struct pl011 *uart = con->driver;
    struct boot_console port;

    if (!serial_port(BOOT_CONSOLE_PL011, uart->index, &port) || port.phys % 4)
        return -CS_ENODEV;
    uart->registers = arch_map_device(port.phys, PL011_BYTES);
    if (!uart->registers || pl011_flags(uart) == PL011_FLAGS_ABSENT)
        return -CS_ENODEV;
    uart->registers[PL011_INTERRUPT_MASK / 4] = 0;
    return 0;
}

static bool pl011_wait_room(const struct pl011 *uart)
{
    uint64_t start, limit;

    if (!(pl011_flags(uart) & PL011_FLAG_FULL))
        return true;
    start = arch_stamp_loose();
    limit = time_ms_to_ticks(PL011_STALL_MS);
    do {
        if (!(pl011_flags(uart) & PL011_FLAG_FULL))
            return true;
    } while (arch_stamp_loose() - start < limit);
    return false;
}

static size_t pl011_write(struct console *con, const char *text, size_t bytes)
{
    const struct pl011 *uart = con->driver;
    size_t done = 0;

    for (; done < bytes && pl011_wait_room(uart); done++)
        uart->registers[PL011_DATA / 4] = (uint8_t)text[done];
    return done;
}

static int pl011_read(struct console *con)
{
    const struct pl011 *uart = con->driver;

    if (pl011_flags(uart) & PL011_FLAG_EMPTY)
        return -1;
    return uart->registers[PL011_DATA / 4] & 0xff;
}

#define PL011_CONSOLE(number, rank_)                                                               \
    static struct pl011 pl011_##number = {.index = number};                                        \
    static struct console pl011_console_##number = {.name = "ttyAMA" #number,                      \
                                                    .rank = rank_,                                 \
                                                    .probe = pl011_probe,                          \
                                                    .write = pl011_write,                          \
                                                    .read = pl011_read,                            \
                                                    .driver = &pl011_##number};                    \
    CONSOLE_DRIVER(pl011_console_##number)

PL011_CONSOLE(0, 110);
PL011_CONSOLE(1, 109);
