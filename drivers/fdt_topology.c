/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where CPUs lie, and how far their nodes are, by the device tree: /cpus/cpu-map (docs.kernel.org,
 * devicetree/bindings/cpu/cpu-topology.txt), next-level-cache (Devicetree Specification 0.4, 3.8),
 * /distance-map (bindings/numa.txt).
 *
 *   cpu-map > socketN > clusterN (> clusterN …) > coreN (> threadN)     the last one has "cpu"
 *
 * I1. The map is walked once, from node to next node, with a stack of FDT_MAP_DEPTH_MAX; what lies
 *     deeper is passed over. Chains of caches have at most FDT_CACHES_MAX links.
 */
#include <libfdt.h>

#include "core/init.h"
#include "core/log.h"
#include "core/string.h"
#include "core/topology.h"
#include "drivers/fdt.h"

#define FDT_MAP_DEPTH_MAX 8
#define FDT_CACHES_MAX 8u

/* Nodes from the map (0) down to the one at hand. */
struct fdt_map_path {
    int node[FDT_MAP_DEPTH_MAX];
    int depth;
};

static bool fdt_name_begins(int node, const char *prefix)
{
    const char *name = fdt_get_name(fdt_tree(), node, NULL);

    return name && strncmp(name, prefix, strlen(prefix)) == 0;
}

/* The node that a property of one phandle points to; below 0 where there is none. */
static int fdt_target(int node, const char *name)
{
    uint64_t phandle = fdt_number(node, name, 0);

    return phandle && phandle < UINT32_MAX
               ? fdt_node_offset_by_phandle(fdt_tree(), (uint32_t)phandle)
               : -FDT_ERR_NOTFOUND;
}

/* The node of the last cache; 0, which is the tree's root, where none is told. */
static int fdt_last_cache(int cpu)
{
    int cache = 0, next = fdt_target(cpu, "next-level-cache");

    for (unsigned links = 0; next > 0 && links < FDT_CACHES_MAX; links++) {
        cache = next;
        next = fdt_target(cache, "next-level-cache");
    }
    return cache;
}

static void fdt_place_cpu(const struct fdt_map_path *path, int cpu)
{
    bool is_thread = fdt_name_begins(path->node[path->depth], "thread") && path->depth > 1;
    int core = path->depth - is_thread, outer = path->node[1];
    uint64_t hw_id, package = fdt_name_begins(outer, "socket") ? (uint64_t)outer : 0;
    struct arch_cpu_place place = {{
        [TOPOLOGY_PACKAGE] = package,
        [TOPOLOGY_LLC] = (uint64_t)fdt_last_cache(cpu),
        [TOPOLOGY_CLUSTER] = (uint64_t)path->node[core - 1],
        [TOPOLOGY_CORE] = (uint64_t)path->node[core],
        [TOPOLOGY_THREAD] = (uint64_t)path->node[path->depth],
    }};

    if (fdt_cpu_hw_id(cpu, &hw_id))
        topology_set_place(hw_id, &place, "cpu-map");
}

/* How many nodes of the map name a CPU; `strange`: those that name none that there is. */
static uint32_t fdt_read_map(int map, uint32_t *strange)
{
    struct fdt_map_path path = {.node = {map}, .depth = 0};
    uint32_t count = 0;

    for (int node = fdt_next_node(fdt_tree(), map, &path.depth); node >= 0 && path.depth > 0;
         node = fdt_next_node(fdt_tree(), node, &path.depth)) {
        int cpu;

        if (path.depth >= FDT_MAP_DEPTH_MAX)
            continue;
        path.node[path.depth] = node;
        if (!fdt_getprop(fdt_tree(), node, "cpu", NULL))
            continue;
        cpu = fdt_target(node, "cpu");
        if (cpu < 0) {
            (*strange)++;
            continue;
        }
        count++;
        fdt_place_cpu(&path, cpu);
    }
    return count;
}

static void fdt_map_init(void)
{
    int map = fdt_tree() ? fdt_path_offset(fdt_tree(), "/cpus/cpu-map") : -1;
    uint32_t count, strange = 0;

    if (map < 0)
        return;
    count = fdt_read_map(map, &strange);
    log_line("device tree: cpu-map of %u CPUs", count);
    if (strange)
        log_warn("device tree: %u nodes of cpu-map name a CPU that is not there", strange);
}
INIT_FN(fdt_map_init, INIT_FIRMWARE, 14);

/* Triples: from, to, distance. */
static void fdt_distances_init(void)
{
    int bytes, map = fdt_tree()
                         ? fdt_node_offset_by_compatible(fdt_tree(), -1, "numa-distance-map-v1")
                         : -1;
    const fdt32_t *cells = map < 0 ? NULL : fdt_getprop(fdt_tree(), map, "distance-matrix", &bytes);

    if (!cells)
        return;
    for (int i = 0; i + 2 < bytes / 4; i += 3) {
        uint32_t from = fdt32_ld(cells + i), to = fdt32_ld(cells + i + 1);
        uint32_t distance = fdt32_ld(cells + i + 2);

        if (distance < TOPOLOGY_DISTANCE_LOCAL || distance > UINT8_MAX) {
            log_warn("device tree: distance %u of nodes %u and %u cannot be", distance, from, to);
            return;
        }
        topology_set_distance(from, to, (uint8_t)distance);
        topology_set_distance(to, from, (uint8_t)distance);
    }
}
INIT_FN(fdt_distances_init, INIT_FIRMWARE, 15);
