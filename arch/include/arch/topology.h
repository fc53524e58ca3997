/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: where a CPU lies, as far as the port itself knows (CPUID, MPIDR, the host's /sys, a
 * simulated machine's description). What firmware's tables say goes before it (core/topology.h).
 */
#ifndef ARCH_TOPOLOGY_H
#define ARCH_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The levels, outermost first; each lies inside the one before it. */
enum topology_level {
    TOPOLOGY_PACKAGE, /* a socket */
    TOPOLOGY_DIE,     /* part of a package with its own way to memory */
    TOPOLOGY_LLC,     /* CPUs that share their last cache */
    TOPOLOGY_CLUSTER, /* cores below it that share more than that: a cache, a module */
    TOPOLOGY_CORE,
    TOPOLOGY_THREAD,
    TOPOLOGY_LEVELS,
};

/* At each level any number: CPUs are in the same domain of a level where this and all numbers
 * before it are equal. A level that a machine does not have repeats its neighbour's number. */
struct arch_cpu_place {
    uint64_t at[TOPOLOGY_LEVELS];
};

/* Fills *place for a CPU of any hardware id. 0, or -ENOENT (-2) where the port does not know. The
 * boot CPU, before the others are started. */
int arch_cpu_place(uint64_t hw_id, struct arch_cpu_place *place)
    __attribute__((warn_unused_result));

/* Whether the CPU that runs this agrees that it lies there; true where it cannot tell. Context: any
 * CPU, interrupts masked. */
bool arch_cpu_place_agrees(const struct arch_cpu_place *place);

/* "cpuid-1fh", "mpidr", "sysfs", …: where arch_cpu_place() has it from. */
const char *arch_cpu_place_source(void);
/* A source that was there and made no sense, so that the next one was taken; NULL for none. */
const char *arch_cpu_place_refused(void);

enum arch_cache_kind { ARCH_CACHE_DATA, ARCH_CACHE_INSTRUCTIONS, ARCH_CACHE_UNIFIED };

/* The i-th cache (from 0) of the CPU that runs this. False past the last, or where nobody says. */
struct arch_cache {
    unsigned level; /* 1 is next to the core */
    enum arch_cache_kind kind;
    uint64_t bytes;
};
bool arch_cache(unsigned i, struct arch_cache *out);

#endif
