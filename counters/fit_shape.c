/* SPDX-License-Identifier: Apache-2.0 */
/* Fitted shapes; see counters/fit_shape.h. */
#include "counters/fit_shape.h"

#include "core/panic.h"
#include "counters/flat.h"

#define FIT_CPUS_WITHOUT_LEVEL 32u
#define FIT_FAN_OUT 8u
#define FIT_ROOT_CHILDREN_MAX 16u

#define TOPOLOGY_LEVEL2_FAN_OUT 6u
#define TOPOLOGY_ROOT_CHILDREN_MAX 32u

static void fit_level_add(struct fit_shape *shape, uint32_t items, int64_t batch)
{
    ASSERT(shape->nr_levels < FIT_LEVELS_MAX);
    shape->level[shape->nr_levels++] = (struct fit_level){.batch = batch, .items = items};
}

static void fit_number_positions(struct fit_shape *shape)
{
    uint32_t position = 1;

    for (uint32_t k = shape->nr_levels; k-- > 0;) {
        shape->level[k].first = position;
        position += shape->level[k].items;
    }
    shape->nr_positions = position;
}

void fit_shape_make(struct fit_shape *shape, uint32_t nr_cpus, uint32_t batch)
{
    int64_t below = batch, usual = FIT_LEAF_BATCH * FIT_FAN_OUT;
    uint32_t children = nr_cpus, children_max = FIT_CPUS_WITHOUT_LEVEL;

    ASSERT(nr_cpus >= 1 && nr_cpus <= FIT_CPUS_MAX);
    *shape = (struct fit_shape){.nr_cpus = nr_cpus, .batch = batch};
    while (children > children_max && shape->nr_levels < FIT_LEVELS_MAX) {
        children /= FIT_FAN_OUT;
        below = MAX(2 * below, usual);
        fit_level_add(shape, children, below);
        usual *= FIT_FAN_OUT;
        children_max = FIT_ROOT_CHILDREN_MAX;
    }
    fit_number_positions(shape);
}

/* Child number `child` of `children`, dealt out evenly to `parents`. */
static uint32_t fit_parent(uint32_t child, uint32_t children, uint32_t parents)
{
    return (uint32_t)((uint64_t)child * parents / children);
}

void fit_path_make(const struct fit_shape *shape, uint32_t rank, struct fit_path *path)
{
    uint32_t child = rank, children = shape->nr_cpus;

    for (uint32_t k = 0; k < shape->nr_levels; k++) {
        child = fit_parent(child, children, shape->level[k].items);
        children = shape->level[k].items;
        path->position[k] = shape->level[k].first + child;
    }
}

uint64_t fit_error_bound(const struct fit_shape *shape)
{
    uint64_t bound = (uint64_t)shape->nr_cpus * (shape->batch - 1), below = shape->batch;

    for (uint32_t k = 0; k < shape->nr_levels; k++) {
        bound += shape->level[k].items * ((uint64_t)shape->level[k].batch - below);
        below = (uint64_t)shape->level[k].batch;
    }
    return bound;
}

uint64_t fit_memory_bytes(const struct fit_shape *shape, unsigned nr, unsigned leaf_bytes)
{
    uint64_t fours = (nr + 3) / 4;

    return (uint64_t)shape->nr_cpus * nr * leaf_bytes +
           fours * shape->nr_positions * CACHE_LINE_BYTES;
}

static uint64_t fit_passed_at_most(uint64_t largest, int64_t batch)
{
    return (largest + (uint64_t)batch - 1) / (uint64_t)batch * (uint64_t)batch;
}

uint64_t fit_transient_bound(const struct fit_shape *shape, uint64_t largest)
{
    uint32_t top = shape->nr_levels;

    return shape->nr_cpus *
           fit_passed_at_most(largest, top ? shape->level[top - 1].batch : shape->batch);
}

uint64_t fit_sum_transient_bound(const struct fit_shape *shape, uint64_t largest)
{
    uint64_t levels = 0;

    for (uint32_t k = 0; k < shape->nr_levels; k++)
        levels += fit_passed_at_most(largest, shape->level[k].batch);
    return 2 * fit_error_bound(shape) + fit_transient_bound(shape, largest) +
           shape->nr_cpus * levels;
}

/* --- rule "topology" --- */

static bool place_is_before(const struct fit_place *a, const struct fit_place *b)
{
    if (a->package != b->package)
        return a->package < b->package;
    return a->core != b->core ? a->core < b->core : a->thread < b->thread;
}

/* Stable insertion sort: once a boot, and firmware lists CPUs nearly in order. */
static void topology_order(const struct fit_place *place, uint32_t nr_cpus, uint32_t *order)
{
    for (uint32_t i = 0; i < nr_cpus; i++) {
        uint32_t at = i;

        for (; at && place_is_before(&place[i], &place[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static uint32_t package_end(const struct fit_place *place, const uint32_t *order, uint32_t nr_cpus,
                            uint32_t begin)
{
    uint32_t end = begin + 1;

    while (end < nr_cpus && place[order[end]].package == place[order[begin]].package)
        end++;
    return end;
}

static uint32_t package_level1(uint32_t cpus)
{
    return MAX(1u, cpus / FIT_FAN_OUT);
}

static uint32_t package_level2(uint32_t level1)
{
    return MAX(1u, (level1 + TOPOLOGY_LEVEL2_FAN_OUT / 2) / TOPOLOGY_LEVEL2_FAN_OUT);
}

static void topology_shape(struct fit_shape *shape, const struct fit_place *place, uint32_t nr_cpus,
                           const uint32_t *order)
{
    const int64_t batch1 = FIT_LEAF_BATCH * FIT_FAN_OUT;
    uint32_t items1 = 0, items2 = 0;

    for (uint32_t begin = 0, end; begin < nr_cpus; begin = end) {
        end = package_end(place, order, nr_cpus, begin);
        items1 += package_level1(end - begin);
        items2 += package_level2(package_level1(end - begin));
    }
    *shape = (struct fit_shape){.nr_cpus = nr_cpus, .batch = FIT_LEAF_BATCH};
    if (nr_cpus > FIT_CPUS_WITHOUT_LEVEL)
        fit_level_add(shape, items1, batch1);
    if (shape->nr_levels && items1 > FIT_ROOT_CHILDREN_MAX)
        fit_level_add(shape, items2, batch1 * TOPOLOGY_LEVEL2_FAN_OUT);
    fit_number_positions(shape);
}

static void topology_paths(const struct fit_shape *shape, const struct fit_place *place,
                           const uint32_t *order, struct fit_path *paths)
{
    uint32_t first1 = shape->level[0].first, first2 = shape->level[1].first;

    for (uint32_t begin = 0, end; begin < shape->nr_cpus; begin = end) {
        uint32_t items1, items2;

        end = package_end(place, order, shape->nr_cpus, begin);
        items1 = package_level1(end - begin);
        items2 = package_level2(items1);
        for (uint32_t i = begin; i < end; i++) {
            uint32_t item = fit_parent(i - begin, end - begin, items1);

            paths[order[i]].position[0] = first1 + item;
            paths[order[i]].position[1] = first2 + fit_parent(item, items1, items2);
        }
        first1 += items1;
        first2 += items2;
    }
}

static bool topology_is_known(const struct fit_place *place, uint32_t nr_cpus)
{
    for (uint32_t i = 1; i < nr_cpus; i++)
        if (place[i].package != place[0].package || place[i].core != place[0].core)
            return true;
    return false;
}

/* The promise, and few enough children of the root. */
static bool topology_shape_is_good(const struct fit_shape *shape)
{
    uint64_t flat = 4ull * shape->nr_cpus * sizeof(int32_t);

    return shape->level[shape->nr_levels - 1].items <= TOPOLOGY_ROOT_CHILDREN_MAX &&
           10 * fit_memory_bytes(shape, 4, 1) <= 9 * flat &&
           fit_error_bound(shape) <=
               flat_error_bound(shape->nr_cpus, flat_batch_for(shape->nr_cpus));
}

bool fit_topology_make(struct fit_shape *shape, const struct fit_place *place, uint32_t nr_cpus,
                       uint32_t *order, struct fit_path *paths)
{
    topology_order(place, nr_cpus, order);
    if (topology_is_known(place, nr_cpus)) {
        topology_shape(shape, place, nr_cpus, order);
        if (shape->nr_levels && topology_shape_is_good(shape)) {
            topology_paths(shape, place, order, paths);
            return true;
        }
    }
    fit_shape_make(shape, nr_cpus, FIT_LEAF_BATCH);
    for (uint32_t i = 0; i < nr_cpus; i++)
        fit_path_make(shape, i, &paths[order[i]]);
    return false;
}
