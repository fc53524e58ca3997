/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot path of the simulated machine: arguments become the kernel's command line, the machine
 * described becomes CPUs and memory, and kernel_main is entered on the boot CPU's stack.
 */
#include <arch/hooks.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/process/process.h"
#include "arch/sim/sim.h"
#include "boot/handoff.h"

#define MEMORY_DEFAULT_BYTES (512ull << 20)
#define MEMORY_CPU_BYTES (8ull << 20)

static const char *cmdline;

static void boot(void)
{
    static struct boot_mem_range memory;
    static struct boot_handoff handoff = {
        .magic = BOOT_HANDOFF_MAGIC,
        .version = BOOT_HANDOFF_VERSION,
        .bytes = sizeof(handoff),
        .path = "sim",
        .firmware = BOOT_FIRMWARE_HOST,
        .mem_map_entries = 1,
        .mem_map_stride = sizeof(memory),
    };

    memory = (struct boot_mem_range){SIM_ARENA, sim_options.memory_bytes, BOOT_MEM_USABLE, 0};
    handoff.mem_map_phys = (uintptr_t)&memory;
    handoff.cmdline_phys = (uintptr_t)cmdline;
    handoff.cmdline_bytes = (uint32_t)strlen(cmdline);
    kernel_main(&handoff);
}

int main(int argc, char **argv)
{
    /* Else the next file to be opened would get its number. */
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
        process_usage("standard output is closed, and the report goes there");
    cmdline = sim_options_parse(argc, argv);
    if (!sim_options.memory_bytes) {
        sim_options.memory_bytes = MEMORY_DEFAULT_BYTES;
        if (sim_options.cpus * MEMORY_CPU_BYTES > MEMORY_DEFAULT_BYTES)
            sim_options.memory_bytes = sim_options.cpus * MEMORY_CPU_BYTES;
    }
    sim_memory_init();
    sim_cpus_alloc();
    sim_traps_init();
    sim_backend->init();
    sim_run_boot_cpu(boot);
    return EXIT_FAILURE; /* not reached */
}
