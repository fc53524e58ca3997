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
#include <unistd.h>

#include "arch/process/process.h"
#include "arch/sim/description.h"
#include "arch/sim/sim.h"

#define CMDLINE_BYTES 16384u
#define PARAMS_BYTES 64u /* of a backend */
#define MEMORY_MIN_BYTES (32ull << 20)

extern const struct sim_backend *const __start_sim_backends[], *const __stop_sim_backends[];

struct sim_options sim_options = {.seed = 1};
const struct sim_backend *sim_backend;

const char *arch_param_line(uint32_t i)
{
    static const char *const lines[] = {
        "machine=X  the machine to simulate: a name, or the path of a description",
        "smp=N      CPUs, 1 to 4096. Default: the machine's",
        "mem=SIZE   physical memory, 32M to 64G. Default: 512M, or 8M a CPU where that is more",
        "backend=X  how it is simulated; corestorm --help lists the ways",
        "explore=X  all, or a list of scenarios: explores schedules (docs/schedule-exploration.md)",
        "schedules=N, memory=sc|tso|weak|all  of each scenario; default 1000 and all",
    };

    return i < sizeof(lines) / sizeof(lines[0]) ? lines[i] : NULL;
}

static _Noreturn void help(void)
{
    puts("corestorm [machine=X] [smp=N] [mem=SIZE] [backend=X] [PARAM…]\n"
         "runs Corestorm on a simulated machine (docs/simulated-machine.md)\n");
    process_help_port_lines();
    puts("  ways to simulate (backend=):");
    for (const struct sim_backend *const *b = __start_sim_backends; b < __stop_sim_backends; b++)
        printf("             %s: %s\n", (*b)->name, (*b)->summary);
    process_help_end();
}

void sim_fatal(const char *format, ...)
{
    va_list args;

    fputs("corestorm: simulator: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
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

static bool backend_argument(const char *text)
{
    for (const struct sim_backend *const *b = __start_sim_backends; b < __stop_sim_backends; b++)
        if ((*b)->argument && (*b)->argument(text))
            return true;
    return false;
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
}

/* Beside the program, or in the tree that it was built from: machines/ */
const char *sim_machines_folder(void)
{
    static char path[4096];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path) - 64);

    if (bytes <= 0)
        return "";
    path[bytes] = '\0';
    strcpy(strrchr(path, '/') + 1, "machines/");
    return path;
}

/* Static, so that where it lies does not depend on the host. */
const char *sim_options_parse(int argc, char **argv)
{
    static char line[CMDLINE_BYTES];
    char *to = line;
    size_t bytes = 1 + PARAMS_BYTES;

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
        if (starts(argv[i], "seed="))
            (void)process_number(argv[i] + strlen("seed="), &sim_options.seed);
        to = process_join_argument(to, argv[i]);
    }
    if (to > line)
        to[-1] = '\0';
    if (!sim_options.cpus)
        sim_options.cpus = sim_backend->cpus;
    if (!sim_options.machine)
        sim_options.machine = "epyc9654x2";
    sim_description_load();
    return line;
}
