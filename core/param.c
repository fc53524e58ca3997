/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel parameters: words of the command line, each handed to the module that declared its name.
 *
 * The text is cut up in place: a word is name, optional '=', value; quotes are taken out of it.
 */
#include "core/param.h"

#include <arch/machine.h>

#include "core/crc32.h"
#include "core/errno.h"
#include "core/format.h"
#include "core/log.h"
#include "core/string.h"

#define SHOWN_BYTES 480u
#define PLACE_BYTES 48u

/* What was read, for the report: the text of one source, quotes escaped, marked where it is cut. */
struct shown {
    char text[SHOWN_BYTES];
    size_t used;
    bool cut;
};

/* Where a text comes from: a file and its line, or the command line. */
struct origin {
    const char *file; /* NULL: the command line */
    unsigned line;
    const char *start; /* of the line or the command line */
};

static unsigned nr_errors;
static uint32_t all_crc32; /* of what param_parse() was given, ever */
static struct shown cmdline_shown, config_shown;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t blanks_at(const char *text)
{
    size_t blanks = 0;

    while (is_blank(text[blanks]))
        blanks++;
    return blanks;
}

static char same_name_char(char c)
{
    return c == '-' ? '_' : c;
}

/* "rss-stat-batch" names rss_stat_batch, as in Linux. */
static bool names_equal(const char *a, const char *b)
{
    for (; *a && same_name_char(*a) == same_name_char(*b); a++, b++)
        ;
    return !*a && !*b;
}

static const struct param *param_find(const char *name)
{
    for (REGISTRY_EACH(params, const struct param, p))
        if (names_equal((*p)->name, name))
            return *p;
    return NULL;
}

void param_error(const char *name, const char *value, const char *format, ...)
{
    char why[200];
    va_list args;

    va_start(args, format);
    format_text_v(why, sizeof(why), format, args);
    va_end(args);
    nr_errors++;
    log_warn("parameter %.60s%s%.60s: %s", name, value ? "=" : "", value ? value : "", why);
}

unsigned param_errors(void)
{
    return nr_errors;
}

const char *param_cmdline(void)
{
    return cmdline_shown.text;
}

const char *param_config(void)
{
    return config_shown.text;
}

static int parse_flag(const struct param *param, const char *value)
{
    static const char *const yes[] = {"", "1", "on", "yes", "true", "y"};
    static const char *const no[] = {"0", "off", "no", "false", "n"};

    for (unsigned i = 0; i < ARRAY_LEN(yes); i++)
        if (!strcmp(value, yes[i])) {
            *(bool *)param->value = true;
            return 0;
        }
    for (unsigned i = 0; i < ARRAY_LEN(no); i++)
        if (!strcmp(value, no[i])) {
            *(bool *)param->value = false;
            return 0;
        }
    return -CS_EINVAL;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static unsigned suffix_shift(const char **text)
{
    static const char suffixes[] = "kmgt";

    for (unsigned i = 0; suffixes[i]; i++)
        if ((**text | 0x20) == suffixes[i]) {
            (*text)++;
            return 10 * (i + 1);
        }
    return 0;
}

int param_number(const char *text, int64_t *out)
{
    bool negative = *text == '-';
    int base = 10;
    uint64_t value = 0;
    unsigned shift;

    text += negative;
    if (text[0] == '0' && (text[1] | 0x20) == 'x') {
        base = 16;
        text += 2;
    }
    if (digit_of(*text) >= base)
        return -CS_EINVAL;
    for (; digit_of(*text) < base; text++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_of(*text), &value))
            return -CS_ERANGE;
    shift = suffix_shift(&text);
    if (*text)
        return -CS_EINVAL;
    if (value > (uint64_t)INT64_MAX >> shift)
        return -CS_ERANGE;
    *out = negative ? -(int64_t)(value << shift) : (int64_t)(value << shift);
    return 0;
}

static int parse_number(const struct param *param, const char *value, const char **why)
{
    int64_t number;
    int error = param_number(value, &number);

    if (error)
        return error;
    if (number < param->min || number > param->max) {
        *why = "out of range";
        return -CS_ERANGE;
    }
    *(int64_t *)param->value = number;
    return 0;
}

static int param_set(const struct param *param, char *value, const char **why)
{
    switch (param->kind) {
    case PARAM_KIND_FLAG:
        return parse_flag(param, value);
    case PARAM_KIND_NUMBER:
        return parse_number(param, value, why);
    case PARAM_KIND_TEXT:
        if (!*value)
            return -CS_EINVAL;
        *(const char **)param->value = value;
        return 0;
    case PARAM_KIND_CUSTOM:
        return param->parse(value, why);
    }
    return -CS_EINVAL;
}

/* A loader may put the image's path first, and "--" ends its own options. */
static bool is_passed_over(const char *name, const char *value, unsigned position)
{
    return !strcmp(name, "--") || (position == 0 && !value && strchr(name, '/'));
}

static void format_place(char place[PLACE_BYTES], const struct origin *from, const char *word)
{
    unsigned column = (unsigned)(word - from->start) + 1;

    if (from->file)
        format_text(place, PLACE_BYTES, "%s, line %u, column %u", from->file, from->line, column);
    else
        format_text(place, PLACE_BYTES, "column %u", column);
}

static void param_word(char *word, const struct origin *from, unsigned position)
{
    char *equals = strchr(word, '=');
    char *value = equals ? equals + 1 : NULL;
    const struct param *param;
    const char *why = NULL;
    static char empty[1];
    char place[PLACE_BYTES];

    if (equals)
        *equals = '\0';
    if (is_passed_over(word, value, position))
        return;
    param = param_find(word);
    format_place(place, from, word);
    if (!param) {
        param_error(word, value, "unknown, at %s; the parameter `list` shows all names", place);
        return;
    }
    if (param_set(param, value ? value : empty, &why))
        param_error(word, value, "%s at %s, expected %s; the default stays",
                    why ? why : "malformed", place, param->expected);
}

char *param_next_word(char **text)
{
    char *from = *text, *to, *word;
    char quote = 0;

    while (is_blank(*from))
        from++;
    if (!*from)
        return NULL;
    for (word = to = from; *from && (quote || !is_blank(*from)); from++) {
        if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    }
    *text = *from ? from + 1 : from;
    *to = '\0';
    if (quote)
        param_error(word, NULL, "a quote is not closed");
    return word;
}

static void show(struct shown *shown, const char *text)
{
    static const char cut[] = "[cut]";

    if (shown->cut || !*text)
        return;
    if (shown->used)
        shown->text[shown->used++] = ' ';
    for (; *text && shown->used + sizeof(cut) + 3 < SHOWN_BYTES; text++) {
        if (*text == '"')
            shown->text[shown->used++] = '\\';
        shown->text[shown->used++] = *text;
    }
    shown->cut = *text;
    format_text(shown->text + shown->used, SHOWN_BYTES - shown->used, "%s", shown->cut ? cut : "");
}

static void parse_words(char *text, const struct origin *from)
{
    unsigned position = 0;

    for (char *word = param_next_word(&text); word; word = param_next_word(&text))
        param_word(word, from, position++);
}

void param_parse(char *text)
{
    const struct origin from = {.start = text};

    all_crc32 = crc32_add(all_crc32, text, strlen(text));
    show(&cmdline_shown, text + blanks_at(text));
    parse_words(text, &from);
}

uint32_t param_crc32(void)
{
    return all_crc32;
}

/* Ends a line where its comment begins: at a '#' that begins a word, outside quotes; and drops the
 * blanks at its end. */
static void cut_comment(char *line)
{
    char quote = 0, *end = line;

    for (char *c = line; *c && (quote || *c != '#' || (c > line && !is_blank(c[-1]))); c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'')
            quote = quote ? 0 : *c;
        if (!is_blank(*c))
            end = c + 1;
    }
    *end = '\0';
}

/* Editors may put a byte order mark first, and save "Unicode" as UTF-16. */
static char *config_text(const char *file, char *text, size_t bytes)
{
    if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        return text + 3;
    if (strnlen(text, bytes) == bytes)
        return text;
    param_error(file, NULL, "it is no text of ASCII or UTF-8 (saved as UTF-16?); it is not read");
    return NULL;
}

void param_parse_config(const char *file, char *text, size_t bytes)
{
    struct origin from = {.file = file, .line = 1, .start = config_text(file, text, bytes)};
    char *line = (char *)from.start, *end;

    for (; line; line = end ? end + 1 : NULL, from.line++) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        cut_comment(line);
        from.start = line;
        show(&config_shown, line + blanks_at(line));
        parse_words(line, &from);
    }
}

void param_list(void)
{
    log_line(
        "parameters (name=value, from the boot loader, corestorm.cfg, run-qemu.sh or the shell):");
    for (REGISTRY_EACH(params, const struct param, p))
        log_line("  %-24s %s. Expects %s.", (*p)->name, (*p)->help, (*p)->expected);
    if (!arch_param_line)
        return;
    log_line("here the machine takes these, in place of the kernel's of that name:");
    for (uint32_t i = 0; arch_param_line(i); i++)
        log_line("  %s", arch_param_line(i));
}

bool param_list_next(const char **list, const char **item, size_t *bytes)
{
    const char *comma;

    if (!**list)
        return false;
    comma = strchr(*list, ',');
    *item = *list;
    *bytes = comma ? (size_t)(comma - *list) : strlen(*list);
    *list += *bytes + (comma ? 1 : 0);
    return true;
}

bool param_list_has(const char *list, const char *item)
{
    const char *part;
    size_t bytes;

    while (param_list_next(&list, &part, &bytes))
        if (text_is(part, bytes, item))
            return true;
    return false;
}
