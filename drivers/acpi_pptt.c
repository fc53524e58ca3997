/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PPTT as bytes (I1–I3 of drivers/acpi_format.h); drivers/arm_acpi.c hands the places on.
 *
 *   thread ──parent──> core ──> cluster ──> … ──> package     by offset
 *                       └─ private resources: caches
 *
 * The last cache's node is the outermost one in the package that names a cache for data. What lies
 * between core and package is a cluster below it, and a die above it; of several the one next to
 * the core, and the one next to the package.
 *
 * I4. A way up has at most PPTT_DEPTH_MAX nodes, so that parents that go round end it.
 */
#include "drivers/acpi_pptt.h"

#define PPTT_NODES ACPI_HEADER_BYTES
#define PPTT_REVISION 8u
#define PPTT_DEPTH_MAX 16u
#define PPTT_NODE_BYTES 20u
#define PPTT_CACHE_BYTES 24u
#define PPTT_CACHES_MAX 32u /* of one node that are looked at */

enum pptt_type { PPTT_TYPE_NODE = 0, PPTT_TYPE_CACHE = 1 };

#define NODE_PACKAGE (1u << 0)
#define NODE_HAS_ID (1u << 1)
#define NODE_THREAD (1u << 2)
#define NODE_LEAF (1u << 3)
#define CACHE_TYPE_VALID (1u << 4)
#define CACHE_TYPE(attributes) ((attributes) >> 2 & 3)
#define CACHE_INSTRUCTIONS 1u

struct pptt_walk {
    const uint8_t *table;
    size_t bytes;
    acpi_place_fn *fn;
    void *arg;
    struct acpi_pptt *out;
    struct acpi_issues *issues;
};

/* The way from a leaf to its package: offsets, innermost first. */
struct pptt_path {
    uint32_t node[PPTT_DEPTH_MAX];
    unsigned nr;
};

/* Whether a whole structure of this type is at `offset`. */
static bool pptt_is(const struct pptt_walk *walk, size_t offset, enum pptt_type type, size_t needed)
{
    const uint8_t *entry = walk->table + offset;

    return offset >= PPTT_NODES && offset < walk->bytes && walk->bytes - offset >= needed &&
           entry[0] == type && entry[1] >= needed && entry[1] <= walk->bytes - offset;
}

static uint32_t pptt_flags(const struct pptt_walk *walk, uint32_t node)
{
    return acpi_u32(walk->table, node + 4);
}

static uint32_t pptt_parent(const struct pptt_walk *walk, uint32_t node)
{
    return acpi_u32(walk->table, node + 8);
}

/* I4. Up to the package, or to the root where no node is marked as one. */
static bool pptt_find_path(const struct pptt_walk *walk, uint32_t leaf, struct pptt_path *path)
{
    uint32_t node = leaf;

    path->nr = 0;
    while (path->nr < PPTT_DEPTH_MAX) {
        path->node[path->nr++] = node;
        if (pptt_flags(walk, node) & NODE_PACKAGE || !pptt_parent(walk, node))
            return true;
        node = pptt_parent(walk, node);
        if (!pptt_is(walk, node, PPTT_TYPE_NODE, PPTT_NODE_BYTES)) {
            acpi_issue(walk->issues, leaf, "a parent is no node of the table");
            return false;
        }
    }
    acpi_issue(walk->issues, leaf, "its parents have no end");
    return false;
}

static bool pptt_names_cache(const struct pptt_walk *walk, uint32_t node)
{
    uint32_t room = (walk->table[node + 1] - PPTT_NODE_BYTES) / 4;
    uint32_t count = MIN(MIN(acpi_u32(walk->table, node + 16), room), PPTT_CACHES_MAX);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = acpi_u32(walk->table, node + PPTT_NODE_BYTES + 4 * i);

        if (!pptt_is(walk, at, PPTT_TYPE_CACHE, PPTT_CACHE_BYTES))
            continue;
        if (!(acpi_u32(walk->table, at + 4) & CACHE_TYPE_VALID) ||
            CACHE_TYPE(walk->table[at + 21]) != CACHE_INSTRUCTIONS)
            return true;
    }
    return false;
}

/* Index in the path of the last cache's node; path->nr where no node names a cache. */
static unsigned pptt_last_cache(const struct pptt_walk *walk, const struct pptt_path *path)
{
    for (unsigned i = path->nr; i-- > 0;)
        if (pptt_names_cache(walk, path->node[i]))
            return i;
    return path->nr;
}

static void pptt_place(const struct pptt_walk *walk, const struct pptt_path *path,
                       struct arch_cpu_place *place)
{
    bool is_thread = pptt_flags(walk, path->node[0]) & NODE_THREAD && path->nr > 1;
    unsigned core = is_thread ? 1 : 0, package = path->nr - 1, cluster, die;
    unsigned llc = pptt_last_cache(walk, path);

    if (llc == path->nr) { /* nobody says: all of the die */
        llc = die = core + 2 < package ? package - 1 : package;
    } else {
        llc = MAX(llc, core);
        die = llc + 1 < package ? package - 1 : package;
    }
    cluster = core + 1 < llc ? core + 1 : core;
    *place = (struct arch_cpu_place){{
        [TOPOLOGY_PACKAGE] = path->node[package],
        [TOPOLOGY_DIE] = path->node[die],
        [TOPOLOGY_LLC] = path->node[llc],
        [TOPOLOGY_CLUSTER] = path->node[cluster],
        [TOPOLOGY_CORE] = path->node[core],
        [TOPOLOGY_THREAD] = path->node[0],
    }};
}

struct pptt_child {
    uint32_t parent;
    bool found;
};

static void pptt_is_child(void *arg, const uint8_t *entry, size_t entry_bytes, size_t offset)
{
    struct pptt_child *child = arg;

    child->found |= entry[0] == PPTT_TYPE_NODE && entry_bytes >= PPTT_NODE_BYTES &&
                    acpi_u32(entry, 8) == child->parent;
}

/* Groups may have an id, too: a container's, which may be a processor's as well. Revision 1 has no
 * flag for leaves: there they are the nodes that are nobody's parent. */
static bool pptt_is_leaf(const struct pptt_walk *walk, uint32_t node)
{
    struct acpi_issues issues = {.quiet = true};
    struct pptt_child child = {.parent = node};

    if (acpi_u8(walk->table, PPTT_REVISION) >= 2)
        return pptt_flags(walk, node) & NODE_LEAF;
    acpi_walk(walk->table, walk->bytes, PPTT_NODES, pptt_is_child, &child, &issues);
    return !child.found;
}

static void pptt_node(struct pptt_walk *walk, uint32_t offset)
{
    struct arch_cpu_place place;
    struct pptt_path path;

    walk->out->nodes++;
    if (!(pptt_flags(walk, offset) & NODE_HAS_ID) || !pptt_is_leaf(walk, offset))
        return;
    if (!pptt_find_path(walk, offset, &path))
        return;
    walk->out->leaves++;
    pptt_place(walk, &path, &place);
    walk->fn(walk->arg, acpi_u32(walk->table, offset + 12), &place);
}

static void pptt_entry(void *arg, const uint8_t *entry, size_t entry_bytes, size_t offset)
{
    struct pptt_walk *walk = arg;
    size_t needed = entry[0] == PPTT_TYPE_NODE ? PPTT_NODE_BYTES : PPTT_CACHE_BYTES;

    if (entry[0] > PPTT_TYPE_CACHE)
        return;
    if (entry_bytes < needed) {
        acpi_issue(walk->issues, offset, "an entry is too short for its type");
        return;
    }
    if (entry[0] == PPTT_TYPE_NODE)
        pptt_node(walk, (uint32_t)offset);
    else
        walk->out->caches++;
}

void acpi_pptt_parse(const void *table, size_t bytes, acpi_place_fn *fn, void *arg,
                     struct acpi_pptt *out, struct acpi_issues *issues)
{
    struct pptt_walk walk = {
        .table = table, .bytes = bytes, .fn = fn, .arg = arg, .out = out, .issues = issues};

    *out = (struct acpi_pptt){.nodes = 0};
    acpi_walk(table, bytes, PPTT_NODES, pptt_entry, &walk, issues);
}
