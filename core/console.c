/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies output to every console in use, and keeps what was written before one was found.
 *
 *   console_write ──> early buffer ──(console_init)──> consoles that probed
 *
 * Callers serialise (core/log.c holds its lock). I1 and I2 of core/console.h.
 */
#include "core/console.h"

#include <arch/machine.h>

#include "core/param.h"
#include "core/string.h"

#define EARLY_BYTES 16384u
#define CONSOLES_MAX 16u

static char early_text[EARLY_BYTES];
static size_t early_used, early_lost;
static struct console *consoles_used[CONSOLES_MAX];
static unsigned nr_consoles, nr_terminals;
static bool console_ready;
static const char *console_list = "";

PARAM_TEXT(console, "console", console_list, "a list of console names, best first (ttyS0,ttyS1)",
           "use these consoles only; default: all that answer");

static void console_send(struct console *con, const char *text, size_t bytes)
{
    if (con->write && !con->dead && con->write(con, text, bytes) != bytes)
        con->dead = true; /* I2: it will not be waited for again */
}

/* A terminal line wants CR LF. */
static void console_send_lines(struct console *con, const char *text, size_t bytes)
{
    size_t start = 0;

    if (con->kind != CONSOLE_LINE) {
        console_send(con, text, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] != '\n')
            continue;
        console_send(con, text + start, i - start);
        console_send(con, "\r\n", 2);
        start = i + 1;
    }
    console_send(con, text + start, bytes - start);
}

static void console_keep(const char *text, size_t bytes)
{
    size_t room = EARLY_BYTES - early_used;
    size_t kept = MIN(bytes, room);

    memcpy(early_text + early_used, text, kept);
    early_used += kept;
    early_lost += bytes - kept;
}

void console_write(const char *text, size_t bytes)
{
    if (arch_early_is_console()) {
        arch_early_write(text, bytes);
        return;
    }
    if (!console_ready) {
        console_keep(text, bytes);
        return;
    }
    for (unsigned i = 0; i < nr_consoles; i++)
        console_send_lines(consoles_used[i], text, bytes);
    if (!nr_terminals)
        arch_early_write(text, bytes);
}

void console_flush(void)
{
    for (unsigned i = 0; i < nr_consoles; i++)
        if (consoles_used[i]->flush)
            consoles_used[i]->flush(consoles_used[i]);
}

static bool console_is_used(const struct console *con)
{
    for (unsigned i = 0; i < nr_consoles; i++)
        if (consoles_used[i] == con)
            return true;
    return false;
}

static bool console_is_wanted(const struct console *con)
{
    if (con->kind == CONSOLE_KEYBOARD)
        return false;
    return con->kind == CONSOLE_RECORD || !*console_list ||
           param_list_has(console_list, con->name);
}

/* The best console that has not been tried yet, by rank, then by link order. */
static struct console *console_next(const struct console *after)
{
    struct console *best = NULL;

    for (REGISTRY_EACH(consoles, struct console, p)) {
        struct console *con = *p;

        if (after && (con->rank > after->rank || (con->rank == after->rank && con <= after)))
            continue;
        if (!best || con->rank > best->rank || (con->rank == best->rank && con < best))
            best = con;
    }
    return best;
}

static void console_probe_all(void)
{
    if (arch_early_is_console())
        return;
    for (struct console *con = console_next(NULL); con; con = console_next(con)) {
        if (nr_consoles == CONSOLES_MAX || console_is_used(con) || !console_is_wanted(con))
            continue;
        if (con->probe(con))
            continue;
        consoles_used[nr_consoles++] = con;
        nr_terminals += con->kind != CONSOLE_RECORD;
    }
}

unsigned console_init(void)
{
    console_probe_all();
    if (!nr_terminals && *console_list && !arch_early_is_console()) {
        const char *asked = console_list;

        console_list = "";
        console_probe_all();
        param_error("console", asked, "no such console answers; all that answer are used");
    }
    console_break_lock();
    return nr_terminals;
}

void console_break_lock(void)
{
    if (console_ready)
        return;
    console_ready = true;
    console_write(early_text, early_used);
    if (early_lost)
        console_write("# warning: early output was lost\n", 33);
}

bool console_has(enum console_kind kind)
{
    for (unsigned i = 0; i < nr_consoles; i++)
        if (consoles_used[i]->kind == kind && !consoles_used[i]->dead)
            return true;
    return false;
}

int console_read(void)
{
    for (unsigned i = 0; i < nr_consoles; i++) {
        int c = consoles_used[i]->read ? consoles_used[i]->read(consoles_used[i]) : -1;

        if (c >= 0)
            return c;
    }
    return -1;
}
