/* SPDX-License-Identifier: Apache-2.0 */
/* The 16550 UART, whatever bus its registers are on. */
#ifndef DRIVERS_UART_16550_H
#define DRIVERS_UART_16550_H

#include "core/console.h"

/* Access to the registers 0 … 7. */
struct uart_io {
    uint8_t (*read)(const struct uart_io *io, unsigned reg);
    void (*write)(const struct uart_io *io, unsigned reg, uint8_t value);
    /* Many bytes into register 0. */
    void (*write_many)(const struct uart_io *io, const char *text, size_t bytes);
};

struct uart {
    const struct uart_io *io;
    bool keep_line; /* firmware has set the speed, from a clock that is not the PC's */
    unsigned fifo_bytes;
};

/* For struct console, with a struct uart as driver; uart->io is set. The probe takes a UART for
 * real only when its scratch register keeps two patterns and its modem lines loop back; then it
 * sets 115200 8N1, no flow control (or keeps the line as it is). */
int uart_probe(struct console *con);
size_t uart_write(struct console *con, const char *text, size_t bytes);
int uart_read(struct console *con);

#endif
