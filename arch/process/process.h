/* SPDX-License-Identifier: Apache-2.0 */
/* What the ports that are Linux processes (hosted, sim) have in common, beside what they keep of
 * the arch contract here: output, its end, and what a process has not. */
#ifndef ARCH_PROCESS_H
#define ARCH_PROCESS_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_STRUCT_PAGE_BYTES 64u
#define PROCESS_VMEMMAP_UNIT_BYTES (2ul << 20) /* core/pages_boot.c maps so much at once */

/* The array of struct page of memory that ends at `end`. */
static inline size_t process_vmemmap_bytes(uint64_t end, unsigned page_shift)
{
    return ((end >> page_shift) * PROCESS_STRUCT_PAGE_BYTES + PROCESS_VMEMMAP_UNIT_BYTES) &
           ~(PROCESS_VMEMMAP_UNIT_BYTES - 1);
}

/* --- arguments.c --- */

/* Ends the process with a message before there is a report. */
_Noreturn void process_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "WHO: " and the message, as a line on the standard error stream. */
void process_complain(const char *who, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* As the kernel's own numbers (core/param.c): decimal or 0x…, K, M, G or T behind it. False when it
 * is none, or more than 64 bits. */
bool process_number(const char *text, uint64_t *value);
/* One argument and a blank behind `to`; its value is put in quotes when it holds blanks. Room:
 * PROCESS_ARGUMENT_BYTES(text). Returns the end. */
char *process_join_argument(char *to, const char *text);
#define PROCESS_ARGUMENT_BYTES(text) (strlen(text) + sizeof("\"\" "))
/* Whether the first argument asks for help. */
bool process_help_wanted(int argc, char **argv);
/* Behind the help's first line: what the port takes (arch_param_line), then what all take. */
void process_help_port_lines(void);
_Noreturn void process_help_end(void);

/* --- output.c --- */

/* Bounded by the reader of the pipe, as every process is; a closed pipe ends it (SIGPIPE). */
void process_write(const char *text, size_t bytes);
/* A report that is not whole is no pass. */
_Noreturn void process_end(int exit_status);

/* --- faults.c --- */

/* `handler` gets the process's faults, once each, on the signal stack of the thread. */
void process_on_faults(void (*handler)(int signal, siginfo_t *info, void *context));
/* arch_backtrace() within a stack from `low` to `top`. */
unsigned process_backtrace(uintptr_t frame, uintptr_t low, uintptr_t top, uintptr_t *pcs,
                           unsigned max);

#endif
