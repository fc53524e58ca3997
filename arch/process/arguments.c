/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a process. See arch/process/process.h. */
#include <arch/machine.h>

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/process/process.h"

#define EXIT_USAGE 2

void process_complain(const char *who, const char *format, va_list args)
{
    fprintf(stderr, "%s: ", who);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void process_usage(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    process_complain("corestorm", format, args);
    exit(EXIT_USAGE);
}

bool process_number(const char *text, uint64_t *value)
{
    static const char suffixes[] = "kmgt";
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *suffix;
    char *end;
    unsigned shift = 0;

    if (!isdigit((unsigned char)*text)) /* strtoull would take blanks and signs */
        return false;
    errno = 0;
    *value = strtoull(text, &end, hex ? 16 : 10);
    suffix = *end ? strchr(suffixes, tolower((unsigned char)*end)) : NULL;
    if (suffix) {
        shift = 10 * (unsigned)(suffix - suffixes + 1);
        end++;
    }
    if (errno || *end || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

char *process_join_argument(char *to, const char *text)
{
    const char *value = strchr(text, '=');

    if (!strpbrk(text, " \t"))
        return to + sprintf(to, "%s ", text);
    value = value ? value + 1 : text;
    return to + sprintf(to, "%.*s\"%s\" ", (int)(value - text), text, value);
}

bool process_help_wanted(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

void process_help_port_lines(void)
{
    for (uint32_t i = 0; arch_param_line(i); i++)
        printf("  %s\n", arch_param_line(i));
}

void process_help_end(void)
{
    puts("  list       among the PARAMs: the report names all that the kernel takes\n\n"
         "SIZE: K, M, G or T behind the number. Exit: 0 pass; 1 fail, a panic, or a report that "
         "could\n"
         "not be written; 2 usage.");
    exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}
