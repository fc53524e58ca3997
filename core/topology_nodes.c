/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NUMA nodes: firmware's proximity domains, renumbered 0 … nr_nodes-1 as they come, which memory
 * belongs to which, and how far they are from each other. Memory that no table names is node 0's.
 */
#include <arch/mmu.h>

#include "core/format.h"
#include "core/log.h"
#include "core/memory_map.h"
#include "core/topology.h"

#define NODES_MAX 256u /* of domains that a table may name; SLIT has one byte a pair */
#define DISTANCES_A_LINE 16u
#define REPORT_LINE_BYTES 160u
#define MEMORY_RANGES_MAX 1024u /* more are merged into node 0, with a warning */

struct memory_domain {
    uint64_t base, bytes;
    uint32_t node;
};

static uint32_t domains[NODES_MAX];
static uint32_t nr_domains;
static struct memory_domain memory_domains[MEMORY_RANGES_MAX];
static uint32_t nr_memory_domains;
static bool too_many_domains, too_many_ranges;

/* The node of a domain that something lies in; NODES_MAX for one without memory and CPUs. */
static uint32_t known_node(uint32_t domain)
{
    uint32_t node = 0;

    while (node < nr_domains && domains[node] != domain)
        node++;
    return node < nr_domains ? node : NODES_MAX;
}

/* A table can have any number of entries too many. */
static void say_once(bool *said, uint32_t limit, const char *things, uint64_t first)
{
    if (!*said)
        log_warn("more than %u %s; %#llx, and what comes behind it, counts as node 0", limit,
                 things, (unsigned long long)first);
    *said = true;
}

uint32_t topology_node_of_domain(uint32_t domain)
{
    uint32_t node = known_node(domain);

    if (node != NODES_MAX)
        return node;
    if (nr_domains == NODES_MAX) {
        say_once(&too_many_domains, NODES_MAX, "proximity domains", domain);
        return 0;
    }
    domains[nr_domains] = domain;
    return nr_domains++;
}

void topology_add_memory_domain(uint64_t base, uint64_t bytes, uint32_t domain)
{
    if (nr_memory_domains == MEMORY_RANGES_MAX) {
        say_once(&too_many_ranges, MEMORY_RANGES_MAX, "memory affinity ranges", base);
        return;
    }
    memory_domains[nr_memory_domains++] =
        (struct memory_domain){base, bytes, topology_node_of_domain(domain)};
}

uint32_t topology_node_of_phys(uint64_t phys)
{
    for (uint32_t i = 0; i < nr_memory_domains; i++)
        if (phys - memory_domains[i].base < memory_domains[i].bytes)
            return memory_domains[i].node;
    return 0;
}

void topology_settle_nodes(void)
{
    nr_nodes = nr_domains ? nr_domains : 1;
}

/* --- distances --- */

/* NODES_MAX² bytes, made at the first distance; 0: not said. */
static uint8_t *distances;

void topology_set_distance(uint32_t from_domain, uint32_t to_domain, uint8_t distance)
{
    uint32_t from = known_node(from_domain), to = known_node(to_domain);
    uint64_t phys;

    if (from == NODES_MAX || to == NODES_MAX)
        return;
    if (!distances) {
        phys = bootmem_alloc(NODES_MAX * NODES_MAX, ARCH_PAGE_BYTES, 0);
        if (!phys)
            return;
        distances = phys_to_virt(phys);
    }
    distances[from * NODES_MAX + to] = distance;
}

uint32_t topology_distance(uint32_t from_node, uint32_t to_node)
{
    uint32_t said = distances ? distances[from_node * NODES_MAX + to_node] : 0;

    if (said)
        return said;
    return from_node == to_node ? TOPOLOGY_DISTANCE_LOCAL : TOPOLOGY_DISTANCE_REMOTE;
}

static uint32_t node_cpus(uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < nr_cpus; id++)
        count += cpu_to_node(id) == node;
    return count;
}

/* For each node of several: its CPUs and how far the others are, 16 a line. */
static void report_node(uint32_t node)
{
    char text[REPORT_LINE_BYTES];

    for (uint32_t first = 0; first < nr_nodes; first += DISTANCES_A_LINE) {
        uint32_t end = MIN(first + DISTANCES_A_LINE, nr_nodes);
        size_t used =
            format_text(text, sizeof(text), "node %u: %u CPUs, distance to node %u-%u:", node,
                        node_cpus(node), first, end - 1);

        for (uint32_t to = first; to < end; to++)
            used +=
                format_text(text + used, sizeof(text) - used, " %u", topology_distance(node, to));
        log_line("%s", text);
    }
}

void topology_report_nodes(void)
{
    for (uint32_t node = 0; node < nr_nodes && nr_nodes > 1; node++)
        report_node(node);
}
