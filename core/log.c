/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, counted and summed. See core/log.h for the form of the stream.
 *
 *   log_line, report_line --> put_line --> [hushed: hush_text] --> emit --> console_write
 *                                                                  emit --> sums of block, report
 *
 * Lock order: log_lock is a leaf; nothing is locked under it.
 */
#include "core/log.h"

#include <arch/machine.h>

#include "core/console.h"
#include "core/crc32.h"
#include "core/format.h"
#include "core/report_store.h"
#include "core/spinlock.h"
#include "core/string.h"

#define LINE_BYTES 512u
#define HUSH_BYTES 16384u

struct stream_sum {
    uint64_t lines;
    uint32_t crc;
};

LOCK_CLASS(log_class, "log");
static SPINLOCK_STATIC(log_lock, log_class);
static bool log_unlocked; /* after a panic: no lock is waited for */

static struct stream_sum block_sum, report_sum;
static const char *block_name;
static bool report_open;
static _Atomic uint32_t nr_warnings, nr_failures;

static char hush_text[HUSH_BYTES];
static size_t hush_used;
static uint32_t hush_lost;
static bool hushed;

static void sum_line(struct stream_sum *sum, const char *line, size_t bytes)
{
    sum->crc = crc32_add(sum->crc, line, bytes);
    sum->lines++;
}

/* `line` ends in its LF. */
static void emit(const char *line, size_t bytes)
{
    if (block_name)
        sum_line(&block_sum, line, bytes);
    if (report_open)
        sum_line(&report_sum, line, bytes);
    console_write(line, bytes);
}

static void put_line(const char *line, size_t bytes)
{
    if (!hushed) {
        emit(line, bytes);
        return;
    }
    if (HUSH_BYTES - hush_used < bytes) {
        hush_lost++;
        return;
    }
    memcpy(hush_text + hush_used, line, bytes);
    hush_used += bytes;
}

/* The stream is printable ASCII; returns the length with the LF that is put at the end. */
static size_t finish_line(char line[LINE_BYTES])
{
    size_t length = strnlen(line, LINE_BYTES - 2);

    for (size_t i = 0; i < length; i++)
        if (line[i] < ' ' || line[i] > '~')
            line[i] = '?';
    line[length] = '\n';
    line[length + 1] = '\0';
    return length + 1;
}

static unsigned long lock_log(void)
{
    return log_unlocked ? irq_save() : spin_lock_irqsave(&log_lock);
}

static void unlock_log(unsigned long irqs)
{
    if (log_unlocked)
        irq_restore(irqs);
    else
        spin_unlock_irqrestore(&log_lock, irqs);
}

/* Where to cut text that is longer than `room`: behind the last blank, or hard. */
static size_t cut_at(const char *text, size_t room)
{
    size_t length = strlen(text);

    if (length <= room)
        return length;
    for (size_t i = room; i > room / 2; i--)
        if (text[i] == ' ')
            return i;
    return room;
}

/* The length without blanks at the end, which nobody sees on a screen. */
static size_t without_blanks(const char *text, size_t bytes)
{
    while (bytes && text[bytes - 1] == ' ')
        bytes--;
    return bytes;
}

/* Comment lines, folded to LOG_COLUMNS. */
static void put_folded(const char *prefix, const char *text)
{
    char line[LINE_BYTES];

    for (bool first = true; first || *text; first = false) {
        const char *lead = first ? prefix : "#   ";
        size_t part = cut_at(text, LOG_COLUMNS - strlen(lead));

        format_text(line, sizeof(line) - 1, "%s%.*s", lead, (int)without_blanks(text, part), text);
        put_line(line, finish_line(line));
        text += part;
        while (*text == ' ')
            text++;
    }
}

static void log_prefixed(const char *prefix, const char *format, va_list args)
{
    char text[LINE_BYTES];
    unsigned long irqs;

    format_text_v(text, sizeof(text), format, args);
    irqs = lock_log();
    put_folded(prefix, text);
    unlock_log(irqs);
}

void log_line(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_prefixed("# ", format, args);
    va_end(args);
}

void log_warn(const char *format, ...)
{
    va_list args;

    atomic_fetch_add_explicit(&nr_warnings, 1, memory_order_relaxed);
    va_start(args, format);
    log_prefixed("# warning: ", format, args);
    va_end(args);
}

unsigned log_warnings(void)
{
    return atomic_load_explicit(&nr_warnings, memory_order_relaxed);
}

void report_fail(const char *format, ...)
{
    va_list args;

    atomic_fetch_add_explicit(&nr_failures, 1, memory_order_relaxed);
    va_start(args, format);
    log_prefixed("# fail: ", format, args);
    va_end(args);
}

bool report_failed(void)
{
    return atomic_load_explicit(&nr_failures, memory_order_relaxed) != 0;
}

void report_line_v(const char *format, va_list args)
{
    char line[LINE_BYTES];
    unsigned long irqs;

    format_text_v(line, sizeof(line) - 1, format, args);
    irqs = lock_log();
    put_line(line, finish_line(line));
    unlock_log(irqs);
}

void report_line(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report_line_v(format, args);
    va_end(args);
}

void report_begin(void)
{
    char model[64];

    report_store_begin();
    report_sum = (struct stream_sum){0};
    atomic_store_explicit(&nr_warnings, 0, memory_order_relaxed);
    atomic_store_explicit(&nr_failures, 0, memory_order_relaxed);
    report_open = true;
    arch_cpu_model(model, sizeof(model));
    report_line("goos: %s", arch_goos());
    report_line("goarch: %s", arch_goarch());
    report_line("pkg: corestorm");
    report_line("cpu: %s", model);
}

void report_block_begin(const char *name)
{
    block_sum = (struct stream_sum){0};
    block_name = name;
}

void report_block_end(void)
{
    struct stream_sum sum = block_sum;
    const char *name = block_name;

    block_name = NULL;
    report_line("# end block=%s lines=%llu crc32=%08x", name, (unsigned long long)sum.lines,
                sum.crc);
}

void report_end(bool pass)
{
    struct stream_sum sum = report_sum;

    report_open = false;
    report_line("# end report lines=%llu crc32=%08x result=%s", (unsigned long long)sum.lines,
                sum.crc, pass ? "pass" : "fail");
    report_store_complete();
}

/* Prints what was kept while hushed. The lock is held. */
static void emit_hushed(void)
{
    size_t start = 0;

    for (size_t i = 0; i < hush_used; i++) {
        if (hush_text[i] != '\n')
            continue;
        emit(hush_text + start, i + 1 - start);
        start = i + 1;
    }
    hush_used = 0;
    if (hush_lost) {
        char line[LINE_BYTES];

        format_text(line, sizeof(line) - 1, "# warning: %u lines of a measurement did not fit",
                    hush_lost);
        hush_lost = 0;
        atomic_fetch_add_explicit(&nr_warnings, 1, memory_order_relaxed);
        emit(line, finish_line(line));
    }
}

void log_hush(bool hush)
{
    unsigned long irqs = lock_log();

    if (hush)
        console_flush(); /* so that nothing is drawn while something is measured */
    hushed = hush;
    if (!hush)
        emit_hushed();
    unlock_log(irqs);
}

void log_break_lock(void)
{
    log_unlocked = true;
    hushed = false;
    console_break_lock();
    emit_hushed();
    if (block_name)
        report_block_end();
}
