/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's boot path: arguments become the kernel's command line, a host's mapping becomes
 * the machine's memory, and kernel_main is entered as from any other loader.
 *
 *   smp=N     CPUs (threads); more than the host has is allowed. Default: what the host gives.
 *   mem=SIZE  physical memory, K M G. Default: 512M, or 4M a CPU where that is more.
 *
 * These two are the machine's and not the kernel's; they are taken out of the command line.
 */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/mmu.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/hosted/hosted.h"
#include "boot/handoff.h"

#define EXIT_USAGE 2
#define MEMORY_MIN_BYTES (32ull << 20)
#define MEMORY_DEFAULT_BYTES (512ull << 20)
#define MEMORY_CPU_BYTES (4ull << 20)

struct hosted_config hosted_config;

void hosted_usage(const char *format, ...)
{
    va_list args;

    fputs("corestorm: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

/* A number with an optional K, M or G; ends the process when it is none or out of [min, max]. */
static uint64_t parse_number(const char *name, const char *text, uint64_t min, uint64_t max)
{
    static const char suffixes[] = "KMG";
    char *end;
    const char *suffix;
    unsigned shift = 0;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 0);
    if (*end && (suffix = strchr(suffixes, *end & ~0x20)) != NULL && end != text) {
        shift = 10 * (unsigned)(suffix - suffixes + 1);
        end++;
    }
    if (errno || end == text || *end || *text == '-' || value > max >> shift ||
        value << shift < min)
        hosted_usage("%s=%s: expected a number from %llu to %llu (K, M, G)", name, text,
                     (unsigned long long)min, (unsigned long long)max);
    return value << shift;
}

static bool machine_argument(const char *text)
{
    if (strncmp(text, "smp=", 4) == 0)
        hosted_config.cpus = (uint32_t)parse_number("smp", text + 4, 1, HOSTED_MAX_CPUS);
    else if (strncmp(text, "mem=", 4) == 0)
        hosted_config.memory_bytes =
            parse_number("mem", text + 4, MEMORY_MIN_BYTES, 1ull << 40) & ~0xfffull;
    else
        return false;
    return true;
}

/* One argument behind `to`; its value is put in quotes when it holds blanks. */
static char *join_argument(char *to, const char *text)
{
    const char *value = strchr(text, '=');

    if (!strpbrk(text, " \t"))
        return to + sprintf(to, "%s ", text);
    value = value ? value + 1 : text;
    return to + sprintf(to, "%.*s\"%s\" ", (int)(value - text), text, value);
}

static char *join_arguments(int argc, char **argv)
{
    size_t bytes = 1;
    char *line, *to;

    for (int i = 1; i < argc; i++)
        bytes += strlen(argv[i]) + sizeof("\"\" ");
    line = to = malloc(bytes);
    if (!line)
        hosted_usage("no memory for the command line");
    *to = '\0';
    for (int i = 1; i < argc; i++)
        if (!machine_argument(argv[i]))
            to = join_argument(to, argv[i]);
    if (to > line)
        to[-1] = '\0';
    return line;
}

int main(int argc, char **argv)
{
    static struct boot_mem_range memory;
    static struct boot_handoff handoff = {
        .magic = BOOT_HANDOFF_MAGIC,
        .version = BOOT_HANDOFF_VERSION,
        .bytes = sizeof(handoff),
        .path = "hosted",
        .firmware = BOOT_FIRMWARE_HOST,
        .mem_map_entries = 1,
        .mem_map_stride = sizeof(memory),
    };
    const char *line = join_arguments(argc, argv);

    hosted_cpu_init();
    if (!hosted_config.cpus)
        hosted_config.cpus = arch_host_processors();
    if (!hosted_config.memory_bytes) {
        hosted_config.memory_bytes = MEMORY_DEFAULT_BYTES;
        if (hosted_config.cpus * MEMORY_CPU_BYTES > MEMORY_DEFAULT_BYTES)
            hosted_config.memory_bytes = hosted_config.cpus * MEMORY_CPU_BYTES;
    }
    hosted_memory_init();
    hosted_cpus_alloc();
    hosted_traps_init();
    hosted_boot_unit_init();
    hosted_pin_self(0);

    memory = (struct boot_mem_range){HOSTED_ARENA_BASE, hosted_config.memory_bytes,
                                     BOOT_MEM_USABLE, 0};
    handoff.mem_map_phys = (uintptr_t)&memory;
    handoff.cmdline_phys = (uintptr_t)line;
    handoff.cmdline_bytes = (uint32_t)strlen(line);
    kernel_main(&handoff);
}
