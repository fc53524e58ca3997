/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NUMA nodes: firmware's proximity domains, renumbered 0 … nr_nodes-1 as they come, and which
 * memory belongs to which. Memory that no table names is node 0's.
 */
#include "core/log.h"
#include "core/topology.h"

#define NODES_MAX 256u          /* of domains that a table may name; SLIT has one byte a pair */
#define MEMORY_RANGES_MAX 1024u /* more are merged into node 0, with a warning */

struct memory_domain {
    uint64_t base, bytes;
    uint32_t node;
};

static uint32_t domains[NODES_MAX];
static uint32_t nr_domains;
static struct memory_domain memory_domains[MEMORY_RANGES_MAX];
static uint32_t nr_memory_domains;

uint32_t topology_node_of_domain(uint32_t domain)
{
    for (uint32_t i = 0; i < nr_domains; i++)
        if (domains[i] == domain)
            return i;
    if (nr_domains == NODES_MAX) {
        log_warn("more than %u proximity domains; domain %u counts as node 0", NODES_MAX, domain);
        return 0;
    }
    domains[nr_domains] = domain;
    return nr_domains++;
}

void topology_add_memory_domain(uint64_t base, uint64_t bytes, uint32_t domain)
{
    if (nr_memory_domains == MEMORY_RANGES_MAX) {
        log_warn("more than %u memory affinity ranges; %#llx counts as node 0", MEMORY_RANGES_MAX,
                 (unsigned long long)base);
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
