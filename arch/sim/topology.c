/* SPDX-License-Identifier: Apache-2.0 */
/* Where a simulated CPU lies: from the machine's description. */
#include <arch/topology.h>

#include "arch/sim/description.h"
#include "arch/sim/sim.h"

void sim_locate(uint32_t cpu, struct sim_place *place)
{
    const struct sim_description *d = &sim_machine;
    uint32_t threads = (uint32_t)d->threads, in_cluster = (uint32_t)d->cores;
    uint32_t cores = (uint32_t)(d->sockets * d->clusters) * in_cluster;
    bool adjacent = d->threads_adjacent != 0;

    place->core = adjacent ? cpu / threads : cpu % cores;
    place->thread = adjacent ? cpu % threads : cpu / cores;
    place->cluster = place->core / in_cluster;
    place->core_in_cluster = place->core % in_cluster;
    place->socket = place->cluster / (uint32_t)d->clusters;
    place->sibling = UINT32_MAX;
    if (threads == 2)
        place->sibling = adjacent ? cpu ^ 1 : (cpu + cores) % (2 * cores);
    if (place->sibling >= sim_options.cpus)
        place->sibling = UINT32_MAX;
}

int arch_cpu_place(uint64_t hw_id, struct arch_cpu_place *place)
{
    struct sim_place p;

    sim_locate((uint32_t)hw_id, &p);
    place->at[TOPOLOGY_PACKAGE] = place->at[TOPOLOGY_DIE] = p.socket;
    place->at[TOPOLOGY_LLC] = place->at[TOPOLOGY_CLUSTER] = p.cluster;
    place->at[TOPOLOGY_CORE] = p.core;
    place->at[TOPOLOGY_THREAD] = p.thread;
    return 0;
}

bool arch_cpu_place_agrees(const struct arch_cpu_place *place)
{
    (void)place;
    return true;
}

const char *arch_cpu_place_source(void)
{
    return "description";
}

const char *arch_cpu_place_refused(void)
{
    return NULL;
}

/* Caches have no size in the model. */
bool arch_cache(unsigned i, struct arch_cache *out)
{
    (void)i;
    (void)out;
    return false;
}
