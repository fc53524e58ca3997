/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consoles: ranked drivers that output is copied to. Drivers register themselves; core/console.c
 * probes them in INIT_CONSOLE, best rank first, and keeps everything written before that in a
 * buffer, replayed to the consoles found.
 *
 * I1. console_write is serialised by one lock, lines of different CPUs never mix.
 * I2. Every write is bounded: a transmitter that never empties is given up after
 *     CONSOLE_STALL_MS once, and its console is marked dead.
 */
#ifndef CORE_CONSOLE_H
#define CORE_CONSOLE_H

#include <stddef.h>

#include "core/compiler.h"
#include "core/registry.h"

struct console {
    const char *name; /* "ttyS0": what console= names */
    int rank;         /* higher is better; all that probe are used, the best one takes input */
    bool dead;
    /* Finds and sets up the device. 0, or -CS_ENODEV. */
    int (*probe)(struct console *con);
    /* Writes; returns how many bytes the device took within its own bound. */
    size_t (*write)(struct console *con, const char *text, size_t bytes);
    /* A received byte, -1 for none; never waits. May be NULL. */
    int (*read)(struct console *con);
    void *driver;
};

REGISTRY_DECLARE(consoles, struct console);
#define CONSOLE_DRIVER(object) REGISTRY_ADD(consoles, struct console, object)

/* Probes all registered consoles. Returns how many are in use. */
unsigned console_init(void);
/* Bytes as they are, LF is sent as CR LF where the device is a terminal line. Context: any. */
void console_write(const char *text, size_t bytes);
/* After a panic: no lock is waited for any more. */
void console_break_lock(void);
int console_read(void);

#endif
