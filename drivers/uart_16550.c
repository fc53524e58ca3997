/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 16550 UARTs: what is the same on every bus (uart_16550_ports.c, uart_16550_memory.c).
 *
 * Registers and bits: National PC16550D data sheet, section 8. A port that is not there reads as
 * 0xFF everywhere (or as anything that does not keep what is written); the probe takes one for real
 * only when its scratch register keeps two patterns and its modem lines loop back.
 *
 * I1. No loop here has more rounds than its stated time or count allows: a transmitter that never
 *     empties costs UART_STALL_MS once, then core/console.c marks the console dead.
 * I2. One look at the line status pays for UART_FIFO_BYTES bytes: each port access is an exit of a
 *     virtual machine.
 *
 * Context: the console lock's holder. Cost: no shared memory.
 */
#include "drivers/uart_16550.h"

#include "core/errno.h"
#include "core/time.h"

enum uart_register {
    UART_DATA = 0,
    UART_IER = 1,
    UART_FCR = 2, /* written */
    UART_IIR = 2, /* read */
    UART_LCR = 3,
    UART_MCR = 4,
    UART_LSR = 5,
    UART_MSR = 6,
    UART_SCRATCH = 7,
};

#define UART_LCR_DIVISOR 0x80u
#define UART_FCR_ON_CLEARED 0x07u
#define UART_IIR_FIFO_ON 0xC0u
#define UART_MCR_DTR_RTS 0x03u
#define UART_MCR_LOOP_RTS_OUT2 0x1Au
#define UART_MSR_LINES 0xF0u
#define UART_MSR_PEER 0xB0u    /* CTS, DSR, DCD */
#define UART_MSR_CTS_DCD 0x90u /* what RTS and OUT2 come back as in loop mode */
#define UART_LSR_DATA 0x01u
#define UART_LSR_BROKEN 0x1Cu /* parity, framing, break */
#define UART_LSR_EMPTY 0x20u
#define UART_FIFO_BYTES 16u
#define UART_BAD_BYTES_MAX 16u

static uint8_t uart_read_register(const struct uart *uart, enum uart_register reg)
{
    return uart->bus->read(uart, reg);
}

static void uart_write_register(const struct uart *uart, enum uart_register reg, unsigned value)
{
    uart->bus->write(uart, reg, (uint8_t)value);
}

static bool uart_keeps_scratch(const struct uart *uart, uint8_t pattern)
{
    uart_write_register(uart, UART_SCRATCH, pattern);
    return uart_read_register(uart, UART_SCRATCH) == pattern;
}

static bool uart_loops_back(const struct uart *uart)
{
    uint8_t lines;

    uart_write_register(uart, UART_MCR, UART_MCR_LOOP_RTS_OUT2);
    lines = uart_read_register(uart, UART_MSR) & UART_MSR_LINES;
    uart_write_register(uart, UART_MCR, UART_MCR_DTR_RTS);
    return lines == UART_MSR_CTS_DCD;
}

static void uart_set_line(const struct uart *uart)
{
    uart_write_register(uart, UART_LCR, UART_LCR_DIVISOR);
    uart_write_register(uart, UART_DATA, uart->divisor & 0xff);
    uart_write_register(uart, UART_IER, uart->divisor >> 8); /* high byte of the divisor */
    uart_write_register(uart, UART_LCR, uart->line);
}

int uart_probe(struct console *con)
{
    struct uart *uart = con->driver;

    if (uart_read_register(uart, UART_LSR) == 0xFF)
        return -CS_ENODEV;
    if (!uart_keeps_scratch(uart, 0x55) || !uart_keeps_scratch(uart, 0xAA))
        return -CS_ENODEV;
    if (!uart_loops_back(uart))
        return -CS_ENODEV;
    if (uart->divisor)
        uart_set_line(uart);
    uart_write_register(uart, UART_IER, 0); /* no interrupts */
    uart_write_register(uart, UART_FCR, UART_FCR_ON_CLEARED);
    uart->fifo_bytes = 1;
    if ((uart_read_register(uart, UART_IIR) & UART_IIR_FIFO_ON) == UART_IIR_FIFO_ON)
        uart->fifo_bytes = UART_FIFO_BYTES;
    return 0;
}

/* Waits until the transmitter takes fifo_bytes more. */
static bool uart_wait_empty(const struct uart *uart)
{
    uint64_t start, limit;

    if (uart_read_register(uart, UART_LSR) & UART_LSR_EMPTY)
        return true;
    start = arch_stamp_loose();
    limit = time_ms_to_ticks(uart->stall_ms ? uart->stall_ms : UART_STALL_MS);
    do {
        if (uart_read_register(uart, UART_LSR) & UART_LSR_EMPTY)
            return true;
    } while (arch_stamp_loose() - start < limit);
    return false;
}

size_t uart_write(struct console *con, const char *text, size_t bytes)
{
    const struct uart *uart = con->driver;
    size_t done = 0;

    while (done < bytes && uart_wait_empty(uart)) {
        size_t load = MIN(bytes - done, (size_t)uart->fifo_bytes);

        uart->bus->write_many(uart, text + done, load);
        done += load;
    }
    return done;
}

int uart_read(struct console *con)
{
    const struct uart *uart = con->driver;

    for (unsigned bad = 0; bad < UART_BAD_BYTES_MAX; bad++) {
        uint8_t status = uart_read_register(uart, UART_LSR), byte;

        if (status == 0xFF || !(status & UART_LSR_DATA))
            return -1;
        byte = uart_read_register(uart, UART_DATA);
        if (!(status & UART_LSR_BROKEN))
            return byte;
    }
    return -1;
}

bool uart_has_peer(struct console *con)
{
    return uart_read_register(con->driver, UART_MSR) & UART_MSR_PEER;
}
