/* SPDX-License-Identifier: Apache-2.0 */
/* The 16550 UART, whatever bus its registers are on. */
#ifndef DRIVERS_UART_16550_H
#define DRIVERS_UART_16550_H

#include "core/console.h"

struct uart;

/* Access to the registers 0 … 7. */
struct uart_bus {
    uint8_t (*read)(const struct uart *uart, unsigned reg);
    void (*write)(const struct uart *uart, unsigned reg, uint8_t value);
    /* Many bytes into register 0. */
    void (*write_many)(const struct uart *uart, const char *text, size_t bytes);
};

/* `port` and the ones behind it (x86-64 only). */
extern const struct uart_bus uart_port_bus;
/* `registers`, 1 << shift bytes apart, accessed 1, 2 or 4 bytes at once. */
extern const struct uart_bus uart_memory_bus;
#define UART_REGISTERS 8u

#define UART_LCR_8N1 0x03u

struct uart {
    const struct uart_bus *bus;
    uint16_t port;
    volatile char *registers;
    unsigned shift, access_bytes;

    unsigned divisor;  /* of 115200 baud; 0: the line stays as firmware set it */
    uint8_t line;      /* bits and parity, as the LCR has them */
    uint32_t stall_ms; /* how long a transmitter may stay full; 0: UART_STALL_MS */
    unsigned fifo_bytes;
};

/* A line at 115200 baud sends a full FIFO in 1.4 ms; only an emulator whose output nobody reads
 * takes longer, and its reader may come back. */
#define UART_STALL_MS 5000u

/* For struct console, with a struct uart as driver whose bus is set. The probe takes a UART for
 * real only when its scratch register keeps two patterns and its modem lines loop back; then it
 * sets the line, without flow control. */
int uart_probe(struct console *con);
size_t uart_write(struct console *con, const char *text, size_t bytes);
/* Bytes that came in broken (a break, noise) are passed over, a few at a call. */
int uart_read(struct console *con);
/* By the modem lines: a terminal, a service processor or an emulator raises one of CTS, DSR and DCD;
 * a plug with nothing in it, and a cable of three wires, none. */
bool uart_has_peer(struct console *con);

#endif
