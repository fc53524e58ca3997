/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's boot path: arguments become the kernel's command line, a host's mapping becomes
 * the machine's memory, and kernel_main is entered as from any other loader.
 *
 * smp= and mem= are the machine's and not the kernel's; they are taken out of the command line.
 */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/mmu.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/hosted/hosted.h"
#include "boot/handoff.h"

#define EXIT_USAGE 2
#define MEMORY_MIN_BYTES (32ull << 20)
#define MEMORY_MAX_BYTES (1ull << 40)
#define MEMORY_DEFAULT_BYTES (512ull << 20)
#define MEMORY_CPU_BYTES (4ull << 20)

struct hosted_config hosted_config;

const char *arch_param_line(uint32_t i)
{
    static const char *const lines[] = {
        "smp=N      CPUs (threads), 1 to 4096; more than the host has is allowed. Default: its number",
        "mem=SIZE   physical memory, 32M to 1T. Default: 512M, or 4M a CPU where that is more",
    };
    _Static_assert(HOSTED_MAX_CPUS == 4096 && MEMORY_MIN_BYTES == 32u << 20, "as the lines say");

    return i < sizeof(lines) / sizeof(lines[0]) ? lines[i] : NULL;
}

static _Noreturn void help(void)
{
    puts("corestorm [smp=N] [mem=SIZE] [PARAM…]      runs Corestorm as a process\n");
    for (uint32_t i = 0; arch_param_line(i); i++)
        printf("  %s\n", arch_param_line(i));
    puts("  list       among the PARAMs: the report names all that the kernel takes\n\n"
         "SIZE: K, M, G or T behind the number. Exit: 0 pass; 1 fail, a panic, or a report that could\n"
         "not be written; 2 usage.");
    exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

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

/* As the kernel's own numbers (core/param.c): decimal or 0x…, K, M, G or T behind it. False when it
 * is none, or more than 64 bits. */
static bool parse_number(const char *text, uint64_t *value)
{
    static const char suffixes[] = "kmgt";
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *suffix;
    char *end;
    unsigned shift = 0;

    if (!isdigit((unsigned char)*text)) /* strtoull would take blanks and signs */
        return false;
    errno = 0;
    *value = strtoull(text, &end, hex ? 16 : 10);
    suffix = *end ? strchr(suffixes, tolower((unsigned char)*end)) : NULL;
    if (suffix) {
        shift = 10 * (unsigned)(suffix - suffixes + 1);
        end++;
    }
    if (errno || *end || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

static bool machine_argument(const char *text)
{
    bool cpus = strncmp(text, "smp=", 4) == 0;
    uint64_t value;

    if (!cpus && strncmp(text, "mem=", 4) != 0)
        return false;
    if (!parse_number(text + 4, &value))
        value = 0; /* out of either range */
    if (cpus && (value < 1 || value > HOSTED_MAX_CPUS))
        hosted_usage("%s: expected a number from 1 to %u", text, HOSTED_MAX_CPUS);
    if (!cpus && (value < MEMORY_MIN_BYTES || value > MEMORY_MAX_BYTES))
        hosted_usage("%s: expected a number from %lluM to %lluT (K, M, G, T)", text,
                     MEMORY_MIN_BYTES >> 20, MEMORY_MAX_BYTES >> 40);
    if (cpus)
        hosted_config.cpus = (uint32_t)value;
    else
        hosted_config.memory_bytes = value & ~0xfffull;
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
    const char *line;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        help();
    /* Else the next file to be opened would get its number: the machine's memory. */
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
        hosted_usage("standard output is closed, and the report goes there");
    line = join_arguments(argc, argv);
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
