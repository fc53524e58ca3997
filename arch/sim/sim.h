/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the port share, beside backend.h. */
#ifndef ARCH_SIM_SIM_H
#define ARCH_SIM_SIM_H

#include <arch/wait.h>

#include "arch/sim/backend.h"

#define SIM_STACK_BYTES (64ul << 10)

/* memory.c: maps the ranges of <port/layout.h>; one stack, its guard page below it: its top. */
void sim_memory_init(void);
uintptr_t sim_stack_make(uint32_t index);

/* cpus.c */
void sim_cpus_alloc(void);
/* Runs `entry` as the boot CPU; never returns. */
void sim_run_boot_cpu(void (*entry)(void));

/* topology.c: numbers of the whole machine; sibling: UINT32_MAX when it has none, or is off. */
struct sim_place {
    uint32_t core, thread, cluster, core_in_cluster, socket, sibling;
};
void sim_locate(uint32_t cpu, struct sim_place *place);

/* trap.c: faults of the process are those of the simulated CPU that runs. */
void sim_traps_init(void);

/* variables.c: the first static variable on [address, address + bytes), by the symbol table. */
struct sim_variable {
    const char *name;
    uintptr_t at;
};
bool sim_variable_find(uintptr_t address, uintptr_t bytes, struct sim_variable *out);

/* options.c: takes the port's own arguments out of argv; the rest is the kernel's command line. */
const char *sim_options_parse(int argc, char **argv);

#endif
