/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPUs of the machine: what firmware listed, what could be started, where each one lies.
 *
 * Firmware readers (drivers/) call topology_add_cpu() for every entry they find, disabled ones
 * too; core/topology.c removes duplicates, puts the boot CPU first, numbers the usable ones
 * 0 … nr_cpus-1 in the order of the table and keeps the rest for the report.
 *
 * Where a CPU lies is said by firmware (topology_set_place: PPTT, a device tree's cpu-map), else by
 * the port (arch/topology.h: CPUID, MPIDR, the host). Numbers are dense: a machine of P packages
 * has packages 0 … P-1, and so on for dies, llcs, clusters and cores, all counted over the whole
 * machine, in the order package, die, llc, cluster, core, thread: CPUs that share something have
 * neighbouring core numbers. `thread` counts from 0 in each core. Where nobody knows, every CPU is
 * a core of package 0 and topology_places_known() says false.
 */
#ifndef CORE_TOPOLOGY_H
#define CORE_TOPOLOGY_H

#include <arch/topology.h>

#include "core/cpumask.h"

enum cpu_state {
    CPU_DISABLED, /* listed, not usable */
    CPU_ENABLED,  /* usable, not started yet */
    CPU_STARTING,
    CPU_ONLINE,
    CPU_FAILED, /* did not come up in time */
    CPU_UNUSED, /* usable, left out by a parameter (maxcpus=) */
};

struct cpu {
    uint32_t id;                               /* UINT32_MAX unless it is one of nr_cpus */
    uint64_t hw_id;                            /* APIC id, MPIDR affinity */
    uint32_t firmware_id;                      /* ACPI processor UID, for people */
    _Atomic uint32_t state;                    /* enum cpu_state */
    uint32_t node;                             /* NUMA node, 0 … nr_nodes-1 */
    uint32_t package, die, llc, cluster, core; /* dense, see above */
    uint32_t thread;                           /* of its core */
    bool has_place;                            /* `place` was set */
    _Atomic bool disagrees;                    /* came up, and says that it lies elsewhere */
    struct arch_cpu_place place;
    uintptr_t stack_top;
    struct cpu *next_listed;
};

/* The number of CPUs that per-CPU areas, counters and masks are made for: the possible ones. Fixed
 * before the first per-CPU area exists. */
extern uint32_t nr_cpus;
extern uint32_t nr_nodes;
/* Those that are running. */
extern struct cpumask cpus_online;

/* From firmware readers, in INIT_FIRMWARE. Duplicated hw_ids count once (enabled wins). */
void topology_add_cpu(uint64_t hw_id, uint32_t firmware_id, bool enabled);
/* Memory and CPU affinity (SRAT, device tree); proximity domains of any size are renumbered. */
void topology_set_cpu_domain(uint64_t hw_id, uint32_t domain);
void topology_add_memory_domain(uint64_t base, uint64_t bytes, uint32_t domain);
uint32_t topology_node_of_phys(uint64_t phys);
uint32_t topology_node_of_domain(uint32_t domain);
void topology_settle_nodes(void); /* fixes nr_nodes; part of topology_settle() */
/* CPUs that firmware did not list: the boot CPU alone when no table was found. Fixes nr_cpus. */
void topology_settle(void);

/* Where a CPU lies, from firmware readers, in INIT_FIRMWARE, after topology_add_cpu(): the numbers
 * of arch/topology.h. `source` names the table. Unknown hw_ids are passed over. */
void topology_set_place(uint64_t hw_id, const struct arch_cpu_place *place, const char *source);
/* The same by firmware_id, for tables that know nothing else. */
void topology_set_place_of(uint32_t firmware_id, const struct arch_cpu_place *place,
                           const char *source);
/* The places that firmware did not tell, and all dense numbers; part of topology_settle(). `cpus`
 * has nr_cpus entries. */
void topology_settle_places(struct cpu *const *cpus);
/* The pure part, for tests: sorts the CPUs by place and id, gives out the dense numbers, and says
 * how many domains each level has. */
void topology_number_places(struct cpu **cpus, uint32_t count, uint32_t domains[TOPOLOGY_LEVELS]);
/* Whether the numbers mean something; where they are from: "pptt", "cpuid-0bh", …, "none". */
bool topology_places_known(void);
const char *topology_source(void);
/* Distinct domains of a level among the usable CPUs; threads: nr_cpus. */
uint32_t topology_count(enum topology_level level);
/* The CPU compares its own view with what is recorded. Context: the CPU itself, on its way up. */
void topology_check_here(uint32_t id);

/* Relative distances of nodes (SLIT): 10 is local, UINT8_MAX unreachable. By default 10 and 20. */
#define TOPOLOGY_DISTANCE_LOCAL 10u
#define TOPOLOGY_DISTANCE_REMOTE 20u
void topology_set_distance(uint32_t from_domain, uint32_t to_domain, uint8_t distance);
uint32_t topology_distance(uint32_t from_node, uint32_t to_node);

/* The entry with this hardware id or firmware id, NULL for none. */
struct cpu *topology_find(uint64_t hw_id);
struct cpu *topology_find_firmware_id(uint32_t firmware_id);
struct cpu *cpu_get(uint32_t id);
uint32_t cpu_to_node(uint32_t id);
/* One line a CPU: where it lies (the parameter `topology`, the shell's command). */
void topology_list(void);
/* The line of sockets, caches, cores and threads; part of topology_report(). */
void topology_report_places(void);
void topology_report_nodes(void);
/* Prints listed, enabled, started, failed with ids. */
void topology_report(void);
/* Entries of the table by state; listed = online + disabled + failed + unused. */
uint32_t topology_listed(void);
uint32_t topology_disabled(void);
uint32_t topology_failed(void);
uint32_t topology_unused(void);

#endif
