/* SPDX-License-Identifier: Apache-2.0 */
/* What the process says of its host, its output, and its end. */
#include <arch/machine.h>

#include <errno.h>
#include <port/context.h>
#include <stdatomic.h>
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

/* Why bytes of the report were lost, an errno; 0: none were. Written by whoever holds the log's
 * lock, or panics; read at the end by one of them. Relaxed: it carries nothing but itself. */
static _Atomic int lost_why;
static __thread bool leaving; /* in arch_power_off() */

/* Bounded by the reader of the pipe, as every process is; a closed pipe ends it (SIGPIPE). */
void arch_early_write(const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t done = write(STDOUT_FILENO, text, bytes);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            atomic_store_explicit(&lost_why, done ? errno : EIO, memory_order_relaxed);
            return;
        }
        text += done;
        bytes -= (size_t)done;
    }
}

bool arch_early_is_console(void)
{
    return true;
}

/* A report that is not whole is no pass. exit and not _exit: a sanitizer that has found something
 * turns the status into its own. */
void arch_power_off(int exit_status)
{
    int why = atomic_load_explicit(&lost_why, memory_order_relaxed);

    leaving = true;
    if (why)
        fprintf(stderr, "corestorm: parts of the report were lost: %s\n", strerror(why));
    exit(why ? EXIT_FAILURE : exit_status);
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

uint64_t arch_smi_count(void)
{
    return UINT64_MAX;
}
