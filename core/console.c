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
#include <arch/time.h>

#include "core/format.h"
#include "core/log.h"
#include "core/param.h"
#include "core/string.h"
#include "core/time.h"

#define EARLY_BYTES 16384u
#define CONSOLES_MAX 16u
#define POLL_NS 500000u /* a FIFO of 16 bytes at 115200 baud fills in 1.4 ms */
#define USED_TEXT_BYTES 80u

static char early_text[EARLY_BYTES];
static size_t early_used, early_lost;
static struct console *consoles_used[CONSOLES_MAX];
static unsigned nr_consoles, nr_terminals;
static bool console_ready;
static const char *console_list = "";

PARAM_TEXT(
    console, "console", console_list,
    "names (ttyS0, fb; ttyS0,9600) and devices (uart,io,0x2f8,115200n8; uart,mmio32,ADDRESS; "
    "pl011,ADDRESS)",
    "use these consoles only; default: all that answer");

static void console_send(struct console *con, const char *text, size_t bytes)
{
    size_t done;

    if (!con->write)
        return;
    done = con->dead ? 0 : con->write(con, text, bytes);
    con->dead |= done != bytes; /* I2: it will not be waited for again */
    con->lost_bytes += bytes - done;
}

const char *console_asked(void)
{
    return console_list;
}

void console_report_lost(void)
{
    for (unsigned i = 0; i < nr_consoles; i++)
        if (consoles_used[i]->lost_bytes)
            log_warn("console %s took nothing more and was given up; it has lost %llu bytes",
                     consoles_used[i]->name, (unsigned long long)consoles_used[i]->lost_bytes);
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

void console_show_on(struct console *con, const char *text, size_t bytes)
{
    console_send_lines(con, text, bytes);
    if (con->flush)
        con->flush(con);
}

void console_show(const char *text, size_t bytes)
{
    for (unsigned i = 0; i < nr_consoles; i++)
        if (consoles_used[i]->kind == CONSOLE_LINE || consoles_used[i]->kind == CONSOLE_SCREEN)
            console_show_on(consoles_used[i], text, bytes);
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
    return con->kind == CONSOLE_RECORD || !*console_list || param_list_has(console_list, con->name);
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

/* Last resorts come behind all others, and only where no line is among those. */
static bool console_is_due(const struct console *con)
{
    if (!con->last_resort || *console_list)
        return true;
    for (unsigned i = 0; i < nr_consoles; i++)
        if (consoles_used[i]->kind == CONSOLE_LINE && !consoles_used[i]->last_resort)
            return false;
    return true;
}

static void console_probe_all(void)
{
    if (arch_early_is_console())
        return;
    for (struct console *con = console_next(NULL); con; con = console_next(con)) {
        if (nr_consoles == CONSOLES_MAX || console_is_used(con) || !console_is_wanted(con) ||
            !console_is_due(con))
            continue;
        if (con->probe(con))
            continue;
        consoles_used[nr_consoles++] = con;
        nr_terminals += con->kind != CONSOLE_RECORD;
    }
}

/* "meta consoles=ttyS0,fb": those that the report goes to. */
static void report_used(void)
{
    char text[USED_TEXT_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < nr_consoles && used < sizeof(text); i++)
        if (consoles_used[i]->kind != CONSOLE_RECORD)
            used += format_text(text + used, sizeof(text) - used, "%s%s", used ? "," : "",
                                consoles_used[i]->name);
    log_line("meta consoles=%s", used ? text : "none");
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
    if (!arch_early_is_console())
        report_used();
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

struct console *console_best(enum console_kind kind)
{
    for (unsigned i = 0; i < nr_consoles; i++)
        if (consoles_used[i]->kind == kind && !consoles_used[i]->dead)
            return consoles_used[i];
    return NULL;
}

bool console_has(enum console_kind kind)
{
    return console_best(kind) != NULL;
}

bool console_is_heard(void)
{
    for (unsigned i = 0; i < nr_consoles; i++) {
        struct console *con = consoles_used[i];

        if (con->kind == CONSOLE_LINE && !con->dead &&
            (*console_list || !con->has_peer || con->has_peer(con)))
            return true;
    }
    return false;
}

void console_open_keyboards(void)
{
    static bool opened;

    for (REGISTRY_EACH(consoles, struct console, p))
        if (!opened && (*p)->kind == CONSOLE_KEYBOARD && nr_consoles < CONSOLES_MAX &&
            (*p)->probe(*p) == 0)
            consoles_used[nr_consoles++] = *p;
    opened = true;
}

int console_read(struct console **from)
{
    for (unsigned i = 0; i < nr_consoles; i++) {
        int c = consoles_used[i]->read ? consoles_used[i]->read(consoles_used[i]) : -1;

        if (c < 0)
            continue;
        if (from)
            *from = consoles_used[i];
        return c;
    }
    return -1;
}

int console_wait_key(struct console **from, uint64_t ms)
{
    uint64_t start = arch_stamp_loose(), limit = time_ms_to_ticks(ms);
    int c;

    while ((c = console_read(from)) < 0 && arch_stamp_loose() - start < limit)
        time_delay_ns(POLL_NS);
    return c;
}
