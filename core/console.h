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

enum console_kind {
    CONSOLE_LINE,     /* a serial line with a terminal: wants CR LF */
    CONSOLE_SCREEN,   /* wants LF; FF clears it */
    CONSOLE_KEYBOARD, /* input only; not probed before somebody wants input */
    CONSOLE_RECORD,   /* keeps the bytes of the report as they are, whatever console= says */
};

struct console {
    const char *name; /* "ttyS0": what console= names */
    int rank; /* higher is better; all that probe are used, the best one is asked for input first */
    enum console_kind kind;
    bool last_resort; /* tried only where no other line answers, or when console= names it */
    bool dead;
    uint64_t lost_bytes;    /* not written since it is dead */
    uint32_t columns, rows; /* of a screen, set by its probe */
    /* Finds and sets up the device. 0, or -CS_ENODEV. */
    int (*probe)(struct console *con);
    /* Writes; returns how many bytes the device took within its own bound. NULL: a keyboard. */
    size_t (*write)(struct console *con, const char *text, size_t bytes);
    /* A received byte or an enum console_key, -1 for none; never waits. May be NULL. */
    int (*read)(struct console *con);
    /* Whether somebody seems to be at the other end of the line; NULL where that cannot be told. */
    bool (*has_peer)(struct console *con);
    /* Shows what was written; NULL where it is shown at once. */
    void (*flush)(struct console *con);
    void *driver;
};

REGISTRY_DECLARE(consoles, struct console);
#define CONSOLE_DRIVER(object) REGISTRY_ADD(consoles, struct console, object)

/* The text of console=, "" for none. */
const char *console_asked(void);
/* A line for each console that was given up: what it has lost. For the end of the report. */
void console_report_lost(void);
/* Probes all registered consoles but keyboards. Returns how many lines and screens are in use. */
unsigned console_init(void);
/* Bytes as they are, LF is sent as CR LF where the device is a terminal line. Context: any. */
void console_write(const char *text, size_t bytes);
/* What was written is on the screen from here on. Context: the log's lock, as for console_write. */
void console_flush(void);
/* After a panic: no lock is waited for any more. */
void console_break_lock(void);
/* Probes the keyboards; does nothing the second time. */
void console_open_keyboards(void);

/* Keys that have no ASCII. */
enum console_key {
    CONSOLE_KEY_UP = 0x100,
    CONSOLE_KEY_DOWN,
    CONSOLE_KEY_PAGE_UP,
    CONSOLE_KEY_PAGE_DOWN,
    CONSOLE_KEY_HOME,
    CONSOLE_KEY_END,
};
/* A byte or an enum console_key from any line or keyboard, and which it was (may be NULL); -1 for
 * none. Never waits. */
int console_read(struct console **from);
/* The same, for at most `ms`. */
int console_wait_key(struct console **from, uint64_t ms);

/* What belongs to no report (a prompt, an echo, a page of text), to lines and screens alone.
 * Context: boot CPU while nobody else prints. */
void console_show(const char *text, size_t bytes);
void console_show_on(struct console *con, const char *text, size_t bytes);
/* The best one of this kind in use and not given up; NULL for none. */
struct console *console_best(enum console_kind kind);

/* Whether one of this kind is in use and has not been given up. */
bool console_has(enum console_kind kind);
/* Whether a line has taken the output, with somebody at its other end as far as can be told: many
 * machines have a serial port that leads nowhere. One that console= names is taken as heard. */
bool console_is_heard(void);

#endif
