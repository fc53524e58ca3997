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

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/hosted/hosted.h"
#include "arch/process/process.h"
#include "boot/handoff.h"

#define MEMORY_MIN_BYTES (32ull << 20)
#define MEMORY_MAX_BYTES (1ull << 40)
#define MEMORY_DEFAULT_BYTES (512ull << 20)
#define MEMORY_CPU_BYTES (4ull << 20)

struct hosted_config hosted_config;

const char *arch_param_line(uint32_t i)
{
    static const char *const lines[] = {
        "smp=N      CPUs (threads), 1 to 4096; more than the host has is allowed. Default: its "
        "number",
        "mem=SIZE   physical memory, 32M to 1T. Default: 512M, or 4M a CPU where that is more",
    };
    _Static_assert(HOSTED_MAX_CPUS == 4096 && MEMORY_MIN_BYTES == 32u << 20, "as the lines say");

    return i < sizeof(lines) / sizeof(lines[0]) ? lines[i] : NULL;
}

static _Noreturn void help(void)
{
    puts("corestorm [smp=N] [mem=SIZE] [PARAM…]      runs Corestorm as a process\n");
    process_help_port_lines();
    process_help_end();
}

static bool machine_argument(const char *text)
{
    bool cpus = strncmp(text, "smp=", 4) == 0;
    uint64_t value;

    if (!cpus && strncmp(text, "mem=", 4) != 0)
        return false;
    if (!process_number(text + 4, &value))
        value = 0; /* out of either range */
    if (cpus && (value < 1 || value > HOSTED_MAX_CPUS))
        process_usage("%s: expected a number from 1 to %u", text, HOSTED_MAX_CPUS);
    if (!cpus && (value < MEMORY_MIN_BYTES || value > MEMORY_MAX_BYTES))
        process_usage("%s: expected a number from %lluM to %lluT (K, M, G, T)", text,
                      MEMORY_MIN_BYTES >> 20, MEMORY_MAX_BYTES >> 40);
    if (cpus)
        hosted_config.cpus = (uint32_t)value;
    else
        hosted_config.memory_bytes = value & ~0xfffull;
    return true;
}

static char *join_arguments(int argc, char **argv)
{
    size_t bytes = 1;
    char *line, *to;

    for (int i = 1; i < argc; i++)
        bytes += PROCESS_ARGUMENT_BYTES(argv[i]);
    line = to = malloc(bytes);
    if (!line)
        process_usage("no memory for the command line");
    *to = '\0';
    for (int i = 1; i < argc; i++)
        if (!machine_argument(argv[i]))
            to = process_join_argument(to, argv[i]);
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

    if (process_help_wanted(argc, argv))
        help();
    /* Else the next file to be opened would get its number: the machine's memory. */
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
        process_usage("standard output is closed, and the report goes there");
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

    memory =
        (struct boot_mem_range){HOSTED_ARENA_BASE, hosted_config.memory_bytes, BOOT_MEM_USABLE, 0};
    handoff.mem_map_phys = (uintptr_t)&memory;
    handoff.cmdline_phys = (uintptr_t)line;
    handoff.cmdline_bytes = (uint32_t)strlen(line);
    kernel_main(&handoff);
}
