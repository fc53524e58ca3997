/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream that leaves the machine: lines, in order, ASCII, at most 100 columns (DESIGN §7).
 *
 * Everything printed is a line of the report: log_*() lines start with "# ", so that tools that
 * read KTAP or Go benchmark lines pass over them. Bytes outside printable ASCII become '?', longer
 * lines are cut at a blank and go on in the next one after "#   " (only for log lines; a
 * benchmark line is never cut, its writer keeps it short).
 *
 * The stream counts lines and CRC-32 (IEEE, over each line with its LF, without CR) for the open
 * block and for the whole report.
 *
 *   report_begin()          all counting starts; goos/goarch/pkg/cpu lines are printed
 *   report_block_begin(n)   a block; not nested
 *   report_block_end()      "# end block=NAME lines=N crc32=XXXXXXXX"
 *   report_end(verdict)     "# end report lines=N crc32=XXXXXXXX result=pass|fail"
 *
 * The counts of an "# end" line cover the lines of the block or report before that line, which it
 * is not part of itself (the report's count does cover the blocks' end lines).
 *
 * Nothing prints during a measurement: between log_hush(true) and log_hush(false), lines of any
 * CPU go to a bounded buffer and are printed afterwards; what did not fit is counted and said.
 * Context: any CPU, interrupts in any state. Cost: the console's.
 */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include <stdarg.h>

#include "core/compiler.h"

#define LOG_COLUMNS 100

/* One whole line, "# " in front, no LF in the text. */
void log_line(const char *format, ...) printf_like(1, 2);
/* The same, "# warning: " in front; warnings are counted and the report says how many. */
void log_warn(const char *format, ...) printf_like(1, 2);
unsigned log_warnings(void);

/* One whole line of the report as it is. */
void report_line(const char *format, ...) printf_like(1, 2);
void report_line_v(const char *format, va_list args) printf_like(1, 0);

void report_begin(void);
void report_block_begin(const char *name);
void report_block_end(void);
void report_end(bool pass);

void log_hush(bool hush);
/* After a panic: unlocked, unhushed, an open block is closed as broken. */
void log_break_lock(void);

/* Every result can only get worse: a failure is remembered with its reason, printed as
 * "# fail: reason", and the verdict is fail. */
void report_fail(const char *format, ...) printf_like(1, 2);
bool report_failed(void);

#endif
