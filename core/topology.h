/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPUs of the machine: what firmware listed, what could be started, where each one lies.
 *
 * Firmware readers (drivers/) call topology_add_cpu() for every entry they find, disabled ones
 * too; core/topology.c removes duplicates, puts the boot CPU first, numbers the usable ones
 * 0 … nr_cpus-1 in the order of the table and keeps the rest for the report.
 */
#ifndef CORE_TOPOLOGY_H
#define CORE_TOPOLOGY_H

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
    uint32_t id;          /* UINT32_MAX unless it is one of nr_cpus */
    uint64_t hw_id;       /* APIC id, MPIDR affinity */
    uint32_t firmware_id; /* ACPI processor UID, for people */
    _Atomic uint32_t state; /* enum cpu_state */
    uint32_t node;        /* NUMA node, 0 … nr_nodes-1 */
    uint32_t package, core, thread;
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

struct cpu *cpu_get(uint32_t id);
uint32_t cpu_to_node(uint32_t id);
/* Prints listed, enabled, started, failed with ids. */
void topology_report(void);
/* Entries of the table by state; listed = online + disabled + failed + unused. */
uint32_t topology_listed(void);
uint32_t topology_disabled(void);
uint32_t topology_failed(void);
uint32_t topology_unused(void);

#endif
