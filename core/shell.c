/* SPDX-License-Identifier: Apache-2.0 */
/* The prompt: reads a line, finds its command. See core/shell.h; the commands: shell_commands.c. */
#include "core/shell.h"

#include "core/errno.h"
#include "core/format.h"
#include "core/line_edit.h"
#include "core/log.h"
#include "core/param.h"
#include "core/string.h"

#define PROMPT "corestorm> "
#define IDLE_S_DEFAULT 300
#define IDLE_S_MAX 86400
#define SAY_BYTES 256u
#define CTRL_C 3

static int64_t idle_s; /* 0: no shell */

static int parse_shell(const char *text, const char **why)
{
    int64_t seconds;

    if (!*text) {
        idle_s = IDLE_S_DEFAULT;
        return 0;
    }
    if (param_number(text, &seconds) || seconds < 0 || seconds > IDLE_S_MAX)
        return -CS_EINVAL;
    idle_s = seconds;
    return 0;
}

PARAM_CUSTOM(shell, "shell", parse_shell, "nothing, or seconds without a key that end it",
             "a prompt behind the run, on the serial line and on screen and keyboard");

void shell_say(const char *format, ...)
{
    char text[SAY_BYTES];
    va_list args;

    va_start(args, format);
    format_text_v(text, sizeof(text) - 1, format, args);
    va_end(args);
    text[strlen(text) + 1] = '\0';
    text[strlen(text)] = '\n';
    console_show(text, strlen(text));
}

/* False when nobody typed for too long. */
static bool read_line(struct line_edit *line, struct console **from)
{
    enum line_event event = LINE_GOES_ON;

    console_show(PROMPT, strlen(PROMPT));
    line_edit_begin(line, console_show);
    while (event == LINE_GOES_ON) {
        int key = console_wait_key(from, (uint64_t)idle_s * 1000);

        if (key < 0)
            return false;
        event = line_edit_key(line, key);
    }
    if (event == LINE_GIVEN_UP)
        line->text[0] = '\0';
    return true;
}

static const struct shell_command *find_command(const char *word, size_t bytes)
{
    for (REGISTRY_EACH(shell_commands, const struct shell_command, p))
        if (text_is(word, bytes, (*p)->name))
            return *p;
    return NULL;
}

static size_t word_bytes(const char *word)
{
    size_t bytes = 0;

    while (word[bytes] && word[bytes] != ' ')
        bytes++;
    return bytes;
}

static enum shell_next run_line(char *line, struct console *from)
{
    const struct shell_command *command;
    char *word = line;
    size_t bytes;

    while (*word == ' ')
        word++;
    bytes = word_bytes(word);
    if (!bytes)
        return SHELL_GOES_ON;
    command = find_command(word, bytes);
    if (!command) {
        shell_say("error: no command \"%.*s\" at column %zu; help shows them all", (int)bytes, word,
                  (size_t)(word - line) + 1);
        return SHELL_GOES_ON;
    }
    memset(word, ' ', bytes); /* columns in what follows stay those that were typed */
    return command->run(line, from);
}

static bool interrupted;

bool shell_interrupted(void)
{
    int key;

    while (idle_s && !interrupted && (key = console_read(NULL)) >= 0)
        interrupted = key == CTRL_C;
    return interrupted;
}

void shell_run_begins(void)
{
    interrupted = false;
}

void shell_main(void)
{
    static struct line_edit line;
    struct console *from = NULL;
    enum shell_next next = SHELL_GOES_ON;

    if (!idle_s)
        return;
    console_open_keyboards();
    if (!console_has(CONSOLE_LINE) && !console_has(CONSOLE_KEYBOARD)) {
        log_line("shell: there is nothing to type at: no serial line, no keyboard");
        return;
    }
    shell_say("shell: help shows the commands; %lld s without a key end it", (long long)idle_s);
    while (next == SHELL_GOES_ON) {
        if (!read_line(&line, &from)) {
            shell_say("\nshell: no key for %lld s", (long long)idle_s);
            return;
        }
        next = run_line(line.text, from);
    }
}
