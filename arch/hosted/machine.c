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
#include "arch/process/process.h"

const char *arch_goos(void)
{
    return "linux";
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
        snprintf(text, bytes, "unknown %s", PROCESS_GOARCH);
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

void arch_describe(char *text, size_t bytes)
{
    struct utsname host;

    uname(&host);
    snprintf(text, bytes, "host=%s-%s processors=%u", host.sysname, host.release,
             arch_host_processors());
}

static __thread bool leaving; /* in arch_power_off() */

void arch_early_write(const char *text, size_t bytes)
{
    process_write(text, bytes);
}

void arch_power_off(int exit_status)
{
    leaving = true;
    process_end(exit_status);
}

/* The CPU stands still, not the process, which ends by another one; unless this is the one that
 * should have ended it. */
void arch_halt(void)
{
    if (leaving)
        _exit(EXIT_FAILURE);
    for (;;)
        pause();
}
