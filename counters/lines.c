/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, paths and carries of fitted trees; see counters/lines.h. */
#include "counters/lines.h"

#include "core/panic.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/slab.h"
#include "core/topology.h"

#define FIT_SLAB_BYTES_MAX (32u * 1024u) /* core/slab.h */

static size_t fit_lines_bytes(const struct fit_shape *shape, unsigned nr)
{
    return (size_t)((nr + TREE_LANES - 1) / TREE_LANES) * shape->nr_positions *
           sizeof(struct tree_line);
}

static void kind_make(struct fit_kind *kind, const char *name)
{
    size_t bytes = fit_lines_bytes(&kind->shape, TREE_LANES);

    kind->path = percpu_area_alloc(sizeof(struct fit_path), _Alignof(struct fit_path));
    if (!kind->path)
        panic("%s: no memory for the CPUs' paths", name);
    kind->lines = NULL;
    if (bytes <= FIT_SLAB_BYTES_MAX)
        kind->lines = slab_cache_create(name, bytes, CACHE_LINE_BYTES, SLAB_HWCACHE_ALIGN);
}

void fit_kind_init(struct fit_kind *kind, uint32_t batch, const char *name)
{
    fit_shape_make(&kind->shape, nr_cpus, batch);
    kind_make(kind, name);
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        fit_path_make(&kind->shape, cpu, percpu_at(kind->path, cpu));
}

void fit_kind_init_topology(struct fit_kind *kind, const char *name)
{
    struct fit_place *place = kzalloc(nr_cpus * sizeof(*place));
    struct fit_path *paths = kzalloc(nr_cpus * sizeof(*paths));
    uint32_t *order = kzalloc(nr_cpus * sizeof(*order));

    if (!place || !paths || !order)
        panic("%s: no memory for the topology of %u CPUs", name, nr_cpus);
    for (uint32_t i = 0; i < nr_cpus && topology_places_known(); i++) {
        const struct cpu *cpu = cpu_get(i);

        place[i] = (struct fit_place){cpu->package, cpu->core, cpu->thread};
    }
    fit_topology_make(&kind->shape, place, nr_cpus, order, paths);
    kind_make(kind, name);
    for (uint32_t i = 0; i < nr_cpus; i++)
        *(struct fit_path *)percpu_at(kind->path, i) = paths[i];
    kfree(order);
    kfree(paths);
    kfree(place);
}

struct tree_line *fit_lines_alloc(const struct fit_kind *kind, unsigned nr)
{
    if (kind->lines && nr <= TREE_LANES)
        return slab_alloc(kind->lines, SLAB_ZERO);
    return kzalloc(fit_lines_bytes(&kind->shape, nr));
}

void fit_lines_free(const struct fit_kind *kind, struct tree_line *lines, unsigned nr)
{
    if (kind->lines && nr <= TREE_LANES)
        slab_free(kind->lines, lines);
    else
        kfree(lines);
}

/* From the claim at level 1 upwards. Apart, and called last, so that most carries keep nothing in
 * registers that would have to be saved. */
static noinline void carry_on(const struct fit_shape *shape, _Atomic int64_t *root,
                              const struct fit_path *path, int64_t before, int64_t after)
{
    for (uint32_t k = 0;;) {
        _Atomic int64_t *item = tree_item(root, path->position[k]);
        int64_t amount = tree_item_settle(item, before, after, shape->level[k].batch);

        if (!amount)
            return;
        if (++k == shape->nr_levels) {
            atomic_fetch_add_explicit(root, amount, memory_order_relaxed);
            return;
        }
        item = tree_item(root, path->position[k]);
        if (!tree_item_claims(item, amount, shape->level[k].batch, &before, &after))
            return;
    }
}

/* Where there are levels. */
static always_inline void carry_from_level1(const struct fit_shape *shape, _Atomic int64_t *root,
                                            const struct fit_path *path, int64_t amount)
{
    _Atomic int64_t *item = tree_item(root, path->position[0]);
    int64_t before, after;

    if (tree_item_claims(item, amount, shape->level[0].batch, &before, &after))
        carry_on(shape, root, path, before, after);
}

void fit_carry(const struct fit_shape *shape, _Atomic int64_t *root, const struct fit_path *path,
               int64_t amount)
{
    if (shape->nr_levels)
        carry_from_level1(shape, root, path, amount);
    else
        atomic_fetch_add_explicit(root, amount, memory_order_relaxed);
}

noinline void fit_carry_here(const struct fit_kind *kind, int64_t amount, _Atomic int64_t *root)
{
    carry_from_level1(&kind->shape, root, percpu_here(kind->path), amount);
}

int64_t fit_items_sum(const struct fit_shape *shape, _Atomic int64_t *root)
{
    uint64_t sum = 0;

    for (uint32_t position = shape->nr_positions; position-- > 0;)
        sum += (uint64_t)atomic_load_explicit(tree_item(root, position), memory_order_relaxed);
    return (int64_t)sum;
}

void fit_items_set(const struct fit_shape *shape, _Atomic int64_t *root, int64_t value)
{
    for (uint32_t position = 1; position < shape->nr_positions; position++)
        atomic_store_explicit(tree_item(root, position), 0, memory_order_relaxed);
    atomic_store_explicit(root, value, memory_order_relaxed);
}
