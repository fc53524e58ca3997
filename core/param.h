/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel parameters: "name=value name2 name3="a b"", as in Linux. A module declares its own with
 * PARAM_*; param_parse() sets them. An unknown or malformed one is reported with its position
 * and what was expected, the default stays, and the run goes on (param_errors() is in the report).
 *
 *   - and _ in names are the same, as in Linux. A name without value is "true" for a flag.
 *   Quotes group blanks. "--" or a name with a leading path (an image name put first by a loader)
 *   is passed over.
 */
#ifndef CORE_PARAM_H
#define CORE_PARAM_H

#include <stdint.h>

#include "core/compiler.h"
#include "core/registry.h"

enum param_kind {
    PARAM_KIND_FLAG,   /* bool: name, name=0|1|on|off|yes|no|true|false */
    PARAM_KIND_NUMBER, /* int64_t in [min, max]; 0x…, K M G suffixes */
    PARAM_KIND_TEXT,   /* const char *: points into the kept command line */
    PARAM_KIND_CUSTOM, /* parse() */
};

struct param {
    const char *name;
    enum param_kind kind;
    void *value;
    int64_t min, max;
    const char *expected; /* for people: "a list of storm names", shown on errors and by `list` */
    const char *help;
    /* CUSTOM: 0, or -CS_EINVAL; then *why (optional) says what was wrong. `text` stays valid. */
    int (*parse)(const char *text, const char **why);
};

REGISTRY_DECLARE(params, const struct param);
#define PARAM(object) REGISTRY_ADD(params, const struct param, object)

#define PARAM_FLAG(id, name_, variable, help_)                                                     \
    static const struct param id##_param = {.name = name_,                                         \
                                            .kind = PARAM_KIND_FLAG,                               \
                                            .value = &(variable),                                  \
                                            .expected = "nothing, or 0 or 1",                      \
                                            .help = help_};                                        \
    PARAM(id##_param)
#define PARAM_NUMBER(id, name_, variable, min_, max_, expected_, help_)                            \
    static const struct param id##_param = {.name = name_,                                         \
                                            .kind = PARAM_KIND_NUMBER,                             \
                                            .value = &(variable),                                  \
                                            .min = min_,                                           \
                                            .max = max_,                                           \
                                            .expected = expected_,                                 \
                                            .help = help_};                                        \
    PARAM(id##_param)
#define PARAM_TEXT(id, name_, variable, expected_, help_)                                          \
    static const struct param id##_param = {.name = name_,                                         \
                                            .kind = PARAM_KIND_TEXT,                               \
                                            .value = &(variable),                                  \
                                            .expected = expected_,                                 \
                                            .help = help_};                                        \
    PARAM(id##_param)
#define PARAM_CUSTOM(id, name_, parse_, expected_, help_)                                          \
    static const struct param id##_param = {.name = name_,                                         \
                                            .kind = PARAM_KIND_CUSTOM,                             \
                                            .parse = parse_,                                       \
                                            .expected = expected_,                                 \
                                            .help = help_};                                        \
    PARAM(id##_param)

/* Parses `text` (cut up in place, kept for ever). Errors go to the log. */
void param_parse(char *text);
/* The same of a file of any number of lines, each with words like a command line's; '#' where a word
 * would begin starts a comment. text[bytes] must be 0. Errors name `file` and the line. */
void param_parse_config(const char *file, char *text, size_t bytes);
/* Reports an error found later than parsing, when a value's meaning could be checked ("cpus=9" on
 * 4 CPUs), in the same form and count. */
void param_error(const char *name, const char *value, const char *format, ...) printf_like(3, 4);
unsigned param_errors(void);
/* The command line as it came, for the report: its beginning where it is long. */
const char *param_cmdline(void);
/* And of the file, its lines joined, without comments. */
const char *param_config(void);
/* CRC-32 of all that param_parse() was ever given, shown or not. */
uint32_t param_crc32(void);
/* Prints every parameter with what it expects and its help (the `list` parameter). */
void param_list(void);

/* A number with optional 0x, sign and K M G T suffix, nothing behind it. -CS_EINVAL, -CS_ERANGE. */
int param_number(const char *text, int64_t *out) must_check;

/* Cuts the next word off *text in place, its quotes removed. NULL at the end. */
char *param_next_word(char **text);

/* The next item of a comma list: *item (not terminated) and its length; false behind the last. */
bool param_list_next(const char **list, const char **item, size_t *bytes);
/* Whether `item` is in the comma list `list`; for bench=, selftest=, …. */
bool param_list_has(const char *list, const char *item);

#endif
