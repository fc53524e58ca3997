/* SPDX-License-Identifier: Apache-2.0 */
/* The shell's commands. See core/shell.h. */
#include "core/choice.h"
#include "core/format.h"
#include "core/memory_map.h"
#include "core/pager.h"
#include "core/param.h"
#include "core/power.h"
#include "core/report_store.h"
#include "core/session.h"
#include "core/shell.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/topology.h"

#define PAGER_IDLE_S 600u

static bool is_blank_line(const char *line)
{
    while (*line == ' ')
        line++;
    return !*line;
}

static bool takes_nothing(const char *line)
{
    size_t column = 0;

    while (line[column] == ' ')
        column++;
    if (!line[column])
        return true;
    shell_say("error: \"%s\" at column %zu: nothing is expected there", line + column, column + 1);
    return false;
}

/* Values of text parameters stay where they were typed, so that is kept for ever. */
static bool set_parameters(const char *line)
{
    unsigned errors = param_errors();
    size_t bytes = strlen(line);
    char *kept;

    while (bytes && line[bytes - 1] == ' ')
        bytes--;
    kept = kzalloc(bytes + 1);

    if (!kept) {
        shell_say("error: no memory left");
        return false;
    }
    memcpy(kept, line, bytes);
    param_parse(kept);
    return param_errors() == errors;
}

static enum shell_next run_help(char *line, struct console *from)
{
    if (!takes_nothing(line))
        return SHELL_GOES_ON;
    for (REGISTRY_EACH(shell_commands, const struct shell_command, p))
        shell_say("  %-10s %-16s %s", (*p)->name, (*p)->arguments, (*p)->help);
    shell_say("  backspace, ctrl-U: takes back a character, the line; ctrl-C: gives the line up,"
              " stops a run");
    return SHELL_GOES_ON;
}
SHELL_COMMAND(help, "help", "", "this", run_help);

static enum shell_next run_list(char *line, struct console *from)
{
    if (!takes_nothing(line))
        return SHELL_GOES_ON;
    param_list();
    choice_list();
    return SHELL_GOES_ON;
}
SHELL_COMMAND(list, "list", "", "all parameters; storms, designs and tests", run_list);

static enum shell_next run_set(char *line, struct console *from)
{
    if (is_blank_line(line))
        shell_say("error: set what? \"set quick bench=update cpus=1,all\"; list shows all names");
    else if (set_parameters(line))
        shell_say("set; run starts with it (what is only looked at while the machine starts keeps "
                  "its value)");
    return SHELL_GOES_ON;
}
SHELL_COMMAND(set, "set", "NAME=VALUE...", "sets parameters for the next run", run_set);

static enum shell_next run_run(char *line, struct console *from)
{
    if (is_blank_line(line) || set_parameters(line))
        session_loop();
    else
        shell_say("error: not run, because of what is said above");
    return SHELL_GOES_ON;
}
SHELL_COMMAND(run, "run", "[NAME=VALUE...]", "runs tests and storms again: a new report", run_run);

static enum shell_next run_topology(char *line, struct console *from)
{
    if (!takes_nothing(line))
        return SHELL_GOES_ON;
    topology_report();
    topology_list();
    memory_map_report();
    return SHELL_GOES_ON;
}
SHELL_COMMAND(topology, "topology", "", "CPUs, nodes and memory", run_topology);

/* Typed at a line it goes there as it is, for a terminal to keep; typed at a keyboard it is paged
 * on the screen. */
static enum shell_next run_report(char *line, struct console *from)
{
    struct console *screen = console_best(CONSOLE_SCREEN);
    size_t bytes;
    const char *text = report_store_text(&bytes);

    if (!takes_nothing(line))
        return SHELL_GOES_ON;
    if (from && from->kind == CONSOLE_LINE)
        console_show_on(from, text, bytes);
    else if (screen && screen->rows > 1)
        pager_show(screen, text, bytes, false, PAGER_IDLE_S, 0);
    if (report_store_lost_bytes())
        shell_say("%llu bytes had no room in memory",
                  (unsigned long long)report_store_lost_bytes());
    return SHELL_GOES_ON;
}
SHELL_COMMAND(report, "report", "", "shows what was printed since the start", run_report);

static enum shell_next run_reboot(char *line, struct console *from)
{
    if (!takes_nothing(line))
        return SHELL_GOES_ON;
    shell_say(report_store_can_save() ? "resetting; the next start saves the report" : "resetting");
    power_restart();
    shell_say("error: no way to reset worked");
    return SHELL_GOES_ON;
}
SHELL_COMMAND(reboot, "reboot", "", "resets the machine", run_reboot);

static enum shell_next run_off(char *line, struct console *from)
{
    return takes_nothing(line) ? SHELL_ENDS : SHELL_GOES_ON;
}
SHELL_COMMAND(off, "off", "", "ends with the verdict of all runs, and switches off", run_off);
