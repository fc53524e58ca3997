/* SPDX-License-Identifier: Apache-2.0 */
/* What the process says of its host, its output, and its end. */
#include <arch/machine.h>

#include <port/context.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/hosted/hosted.h"

const char *arch_goos(void)
{
    return "linux";
}

const char *arch_goarch(void)
{
    return HOSTED_GOARCH;
}

/* The value of the first line of /proc/cpuinfo that starts with `name`; false when none does. */
static bool cpuinfo_value(const char *name, char *text, size_t bytes)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];
    bool found = false;

    while (file && !found && fgets(line, sizeof(line), file)) {
        const char *value = strchr(line, ':');

        found = value && strncmp(line, name, strlen(name)) == 0;
        if (found)
            snprintf(text, bytes, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    }
    if (file)
        fclose(file);
    return found;
}

void arch_cpu_model(char *text, size_t bytes)
{
    if (!cpuinfo_value("model name", text, bytes))
        snprintf(text, bytes, "unknown %s", HOSTED_GOARCH);
}

const char *arch_virt(void)
{
    return "hosted";
}

bool arch_is_emulated(void)
{
    return false;
}

/* Other processes run here too. */
bool arch_virt_may_share(void)
{
    return true;
}

void arch_early_init(void)
{
}

void arch_describe(char *text, size_t bytes)
{
    struct utsname host;

    uname(&host);
    snprintf(text, bytes, "host=%s-%s processors=%u", host.sysname, host.release,
             arch_host_processors());
}

/* Bounded by the reader of the pipe, as every process is; a closed pipe ends it (SIGPIPE). */
void arch_early_write(const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t done = write(STDOUT_FILENO, text, bytes);

        if (done <= 0)
            return;
        text += done;
        bytes -= (size_t)done;
    }
}

bool arch_early_is_console(void)
{
    return true;
}

/* exit and not _exit: a sanitizer that has found something turns the status into its own. */
void arch_power_off(int exit_status)
{
    exit(exit_status);
}

void arch_halt(void)
{
    _exit(EXIT_FAILURE);
}

uint64_t arch_smi_count(void)
{
    return UINT64_MAX;
}
