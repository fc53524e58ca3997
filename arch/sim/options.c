/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port's own arguments: smp= mem= machine= backend=. They are taken out of the kernel's command
 * line; seed= is read and left in.
 */
#include <arch/machine.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/process/process.h"
#include "arch/sim/description.h"
#include "arch/sim/sim.h"

#define CMDLINE_BYTES 16384u
#define PARAMS_BYTES 64u /* of a backend */
#define MEMORY_MIN_BYTES (32ull << 20)
#define SIM_MACHINE_DEFAULT "epyc9654x2"
#define BACKENDS_MAX 8u
#define HELP_COLUMNS 80u

extern const struct sim_backend *const __start_sim_backends[], *const __stop_sim_backends[];

struct sim_options sim_options = {.seed = 1};
const struct sim_backend *sim_backend;

const char *arch_param_line(uint32_t i)
{
    static const char *const lines[] = {
        ("machine=X  a name, or the path of a description. Default: " SIM_MACHINE_DEFAULT),
        "sim.FIGURE=VALUE  instead of the description's",
        "smp=N      CPUs, 1 to 4096. Default: the machine's",
        "mem=SIZE   physical memory, 32M to 64G. Default: 512M, or 8M a CPU where that is more",
        "backend=X  how it is simulated; corestorm --help lists the ways",
        "explore=X  all, or a list of scenarios: explores schedules (docs/schedule-exploration.md)",
        "schedules=N, memory=sc|tso|weak|all  of each scenario; default 1000 and all",
    };

    return i < sizeof(lines) / sizeof(lines[0]) ? lines[i] : NULL;
}

/* A list "a, b, c" in lines of their own. */
static void print_list(const char *list)
{
    for (size_t bytes; *list; list += bytes) {
        bytes = strlen(list);
        for (size_t end = HELP_COLUMNS; bytes > HELP_COLUMNS && end; end--)
            if (list[end - 1] == ' ')
                bytes = end;
        printf("             %.*s\n", (int)(list[bytes] ? bytes - 1 : bytes), list);
    }
}

static _Noreturn void help(void)
{
    puts("corestorm [machine=X] [smp=N] [mem=SIZE] [backend=X] [PARAM…]\n"
         "runs Corestorm on a simulated machine (docs/simulated-machine.md)\n");
    process_help_port_lines();
    puts("  ways to simulate (backend=):");
    for (const struct sim_backend *const *b = __start_sim_backends; b < __stop_sim_backends; b++)
        printf("             %s: %s\n", (*b)->name, (*b)->summary);
    puts("  machines that there are (machine=):");
    print_list(sim_machine_names());
    puts("  figures of a description (sim.FIGURE=):");
    print_list(sim_description_keys());
    process_help_end();
}

void sim_fatal(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    process_complain("corestorm: simulator", format, args);
    _Exit(EXIT_FAILURE);
}

static uint64_t number_argument(const char *text, uint64_t min, uint64_t max, const char *expected)
{
    uint64_t value;

    if (!process_number(strchr(text, '=') + 1, &value) || value < min || value > max)
        process_usage("%s: expected %s", text, expected);
    return value;
}

static bool starts(const char *text, const char *name)
{
    return strncmp(text, name, strlen(name)) == 0;
}

/* The last argument that each backend took; from BACKENDS_MAX on they cannot take any. */
static const char *taken[BACKENDS_MAX];

static bool backend_argument(const char *text)
{
    size_t nr = (size_t)(__stop_sim_backends - __start_sim_backends);

    for (size_t i = 0; i < nr && i < BACKENDS_MAX; i++) {
        const struct sim_backend *backend = __start_sim_backends[i];

        if (!backend->argument || !backend->argument(text))
            continue;
        taken[i] = text;
        return true;
    }
    return false;
}

/* Nothing that the user asks for is left aside in silence. */
static void refuse_others_arguments(void)
{
    for (size_t i = 0; i < BACKENDS_MAX; i++) {
        const struct sim_backend *backend = taken[i] ? __start_sim_backends[i] : sim_backend;

        if (backend != sim_backend)
            process_usage("%s is for backend=%s, and backend=%s is to run: expected %s beside it, "
                          "and no other backend",
                          taken[i], backend->name, sim_backend->name, backend->chosen_by);
    }
}

/* True when the argument is the port's alone. */
static bool own_argument(const char *text)
{
    if (starts(text, "smp="))
        sim_options.cpus =
            (uint32_t)number_argument(text, 1, SIM_MAX_CPUS, "a number from 1 to 4096");
    else if (starts(text, "mem="))
        sim_options.memory_bytes = number_argument(text, MEMORY_MIN_BYTES, SIM_ARENA_MAX_BYTES,
                                                   "a size from 32M to 64G (K, M, G)") &
                                   ~0xfffull;
    else if (starts(text, "machine="))
        sim_options.machine = text + strlen("machine=");
    else if (starts(text, "backend="))
        sim_options.backend = text + strlen("backend=");
    else
        return sim_description_override(text) || backend_argument(text);
    return true;
}

static void choose_backend(void)
{
    const char *want = sim_options.backend ? sim_options.backend : "timed";

    for (const struct sim_backend *const *b = __start_sim_backends; b < __stop_sim_backends; b++)
        if (strcmp((*b)->name, want) == 0)
            sim_backend = *b;
    if (!sim_backend)
        process_usage("backend=%s: there is none of this name; --help lists them", want);
    refuse_others_arguments();
}

/* Static, so that where it lies does not depend on the host. */
const char *sim_options_parse(int argc, char **argv)
{
    static char line[CMDLINE_BYTES];
    char *to = line;
    size_t bytes = 1 + PARAMS_BYTES;
    uint64_t seed;

    if (process_help_wanted(argc, argv))
        help();
    for (int i = 1; i < argc; i++)
        bytes += PROCESS_ARGUMENT_BYTES(argv[i]);
    if (bytes > sizeof(line))
        process_usage("the command line is longer than %zu bytes", sizeof(line));
    for (int i = 1; i < argc; i++)
        if (own_argument(argv[i]))
            argv[i] = NULL;
    choose_backend();
    if (sim_backend->params)
        to += sprintf(to, "%s ", sim_backend->params);
    for (int i = 1; i < argc; i++) {
        if (!argv[i])
            continue;
        if (starts(argv[i], "seed=") && process_number(argv[i] + strlen("seed="), &seed) &&
            seed <= INT64_MAX) /* else bench/params.c refuses it by name, and keeps 1 */
            sim_options.seed = seed;
        to = process_join_argument(to, argv[i]);
    }
    if (to > line)
        to[-1] = '\0';
    if (!sim_options.cpus)
        sim_options.cpus = sim_backend->cpus;
    if (!sim_options.machine)
        sim_options.machine = SIM_MACHINE_DEFAULT;
    sim_description_load();
    return line;
}
