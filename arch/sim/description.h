/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a machine description says (arch/sim/machines/, docs/simulated-machine.md). A figure in a
 * file is "key value" on a line of its own, # begins a comment; description.c's table has the keys,
 * their units and limits, what each means is said below.
 */
#ifndef ARCH_SIM_DESCRIPTION_H
#define ARCH_SIM_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NAME_BYTES 64u

struct sim_description {
    char name[SIM_NAME_BYTES], model[SIM_NAME_BYTES];

    /* Shape. A cluster is what shares a cache that answers its cores' misses among themselves: a
     * CCX, a ring with one inclusive cache; a core of its own on a mesh. */
    double sockets, clusters, cores, threads;
    double threads_adjacent; /* 1: siblings have neighbouring numbers; 0: all first threads first */

    /* ns */
    double l1, atomic, percpu, smt, cluster, socket, far, far2;
    double cluster_busy, home_busy; /* how long a read keeps them */
    double cold, cold_far;          /* a line that no cache holds */
    double tlb;                     /* an address translation that the first level does not hold */
    double relax, wake;             /* a spin-loop hint; a kick's way to a halted CPU */
    double stamp;                   /* a look at the clock */
    double operation;               /* the measuring loop around each operation */
    double instruction;             /* an instruction that touches no memory */

    /* Numbers */
    double alpha, rho, jitter;      /* rules 4, 5, 8 of docs/simulated-machine.md */
    double smt_slowdown;            /* costs of a CPU whose sibling is busy, as a factor */
    double home_far;                /* of the extra way to a home on a third socket, what is paid */
    double store_buffer, tlb_entries;
    double pair_prefetch;           /* 1: a miss brings the other half of 128 bytes as well */
    double tso;                     /* 1: stores are seen in program order (x86) */
    double instructions;            /* beside each access, where machines/instructions.csv has none */
    double rest;                    /* part of rest_ns in machines/instructions.csv that is charged */
};

/* Reads sim_options.machine, then applies name=value overrides. Errors end the process with
 * "FILE:LINE: what is wrong". */
void sim_description_load(void);
/* "sim.NAME=VALUE" of the command line, before sim_description_load(). False: not of that form. */
bool sim_description_override(const char *argument);
extern struct sim_description sim_machine;

/* "name=value …" of all figures, for the report: line i, NULL past the end. */
const char *sim_description_line(uint32_t i);

uint32_t sim_description_cpus(void);

/* The names of all figures, "a, b, c". */
const char *sim_description_keys(void);

/* machine_files.c: where machine=NAME looks, and the names that it finds there, "a, b, c". */
const char *sim_machines_folder(void);
const char *sim_machine_names(void);

#endif
