/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of console=, much as Linux's earlycon= and console= have them (kernel-parameters.txt):
 *
 *   uart,io,0x2f8[,115200n8]       a 16550 behind I/O ports
 *   uart,mmio|mmio16|mmio32,ADDRESS[,9600]     in memory, 1, 2 or 4 bytes apart and at once
 *   pl011,ADDRESS
 *   NAME[,9600]                    a console by its name: ttyS0, fb
 *
 * Speeds are of a 1.8432 MHz clock: 115200 divided by a whole number; behind it n, e or o and 7 or
 * 8, as in 9600e7. Without one a line in memory stays as firmware set it; ports get 115200n8.
 */
#ifndef DRIVERS_SERIAL_PARAM_H
#define DRIVERS_SERIAL_PARAM_H

#include "drivers/serial_ports.h"

struct serial_word {
    const char *text; /* all of it, options included; not terminated */
    size_t bytes;
    size_t name_bytes; /* a name: its part before the options */
    struct serial_port
        port;        /* kind SERIAL_NONE: a name; its speed, if any, is in divisor and line */
    const char *why; /* what is wrong with it; NULL: nothing */
};

/* The next one of the list; false at its end. Pure. */
bool serial_param_next(const char **list, struct serial_word *out);

#endif
