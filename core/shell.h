/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prompt behind the first runs (shell, shell=SECONDS): from a serial line or a keyboard, so
 * that a machine whose start takes minutes can be asked again. Without the parameter nobody is
 * waited for; with it, so many seconds without a key end it.
 *
 * A command is one file or one entry: SHELL_COMMAND.
 */
#ifndef CORE_SHELL_H
#define CORE_SHELL_H

#include "core/console.h"
#include "core/registry.h"

enum shell_next { SHELL_GOES_ON, SHELL_ENDS };

struct shell_command {
    const char *name, *arguments, *help;
    /* `line`: as typed, cut up by nobody yet; the command's name in it is blanked. `from`: where it
     * was typed. */
    enum shell_next (*run)(char *line, struct console *from);
};

REGISTRY_DECLARE(shell_commands, const struct shell_command);
#define SHELL_COMMAND(id, name_, arguments_, help_, run_)                                          \
    static const struct shell_command shell_##id = {                                               \
        .name = name_, .arguments = arguments_, .help = help_, .run = run_};                       \
    REGISTRY_ADD(shell_commands, const struct shell_command, shell_##id)

/* Returns when it is left, or at once where shell was not asked for. Context: boot CPU. */
void shell_main(void);
/* Whether ctrl-C was typed since shell_run_begins(): then what is left of the run is not to be
 * measured. Looks at lines and keyboards, and drops what else was typed: only to be called between
 * measurements. False where shell was not asked for. Context: boot CPU. */
bool shell_interrupted(void);
void shell_run_begins(void);
/* A line to those who look at the prompt; not part of any report. */
void shell_say(const char *format, ...) printf_like(1, 2);

#endif
