/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of counter trees fitted to the machine: as many items as the CPUs need, and not as many as
 * the next power of two needs. Pure arithmetic; the machine need not be this one.
 *
 *   33 CPUs, published: 16,4            33 CPUs, fitted
 *          root                                root
 *     /    |    |    \                    /    |    |    \
 *    16   16    1     0   CPUs           9     8    8     8   CPUs, batch 256
 *    batch 512, 4 items: 2943            4 items: 1919 (flat: 2145)
 *
 * Rule "fit": up to 32 CPUs the leaves carry to the root. Beyond, level 1 has floor(n / 8) items;
 * while a level has more than 16, the next one has an eighth of it. Children are dealt out evenly:
 * child c of n goes to parent floor(c * parents / n). Batches 256, 2048, 16384 as published.
 *
 * Rule "topology": CPUs are put in order by package, core and thread; no item reaches over a
 * package; level 1: 8 CPUs (4 cores with both threads), batch 256; level 2, once there are more
 * than 16 items: 6 of them (24 cores), batch 1536. 384 CPUs in 2 packages: 48 + 8 items, bound
 * 32,896, where 8,8,8 by CPU number has 64 + 8 and 40,576. Where the topology is not known, or is
 * such that the promise below would not hold (many small packages): rule "fit" in that order.
 *
 * I1. Level k's batch is a multiple of level k-1's, level 1's of the leaf's; the
 *     leaf's is a power of two. Carries and their proof are those of counters/tree_items.h, which
 *     use no more.
 * I2. Every item has a CPU below it; a CPU's items nest.
 * I3. Positions: root 0, then the levels downwards.
 *
 * Bound, as in tree_shape.h, with the items that there are:
 *     n * (batch - 1) + sum over levels of items(k) * (batch(k) - batch(k-1))
 * Promise (never_worse_than_flat), checked for every n by tests/kernel/counters_fit.c:
 *   error   n <= 32: n * 31, flat's own with its smallest batch. n > 32: at most 31n + 28n + 28n +
 *           … with 3 levels up to 8192 CPUs = 115n; flat has (2n - 1)n >= 115n from 58 CPUs up,
 *           below there is one level: 31n + 28n = 59n <= 65n.
 *   memory  4n + 64 * positions; positions <= n/8 + n/64 + n/512 + 1 <= 0.1625n from 41 CPUs up,
 * and by inspection from 16.
 */
#ifndef COUNTERS_FIT_SHAPE_H
#define COUNTERS_FIT_SHAPE_H

#include "core/compiler.h"

#define FIT_CPUS_MAX 65536u
#define FIT_LEVELS_MAX 4u
#define FIT_LEAF_BATCH 32u

struct fit_level {
    int64_t batch;
    uint32_t first; /* position of item 0 */
    uint32_t items;
};

struct fit_shape {
    uint32_t nr_cpus;
    uint32_t batch; /* of the leaves */
    uint32_t nr_levels, nr_positions;
    struct fit_level level[FIT_LEVELS_MAX]; /* level[0] is next to the leaves */
};

/* A CPU's items from level 1 upwards, as positions. */
struct fit_path {
    uint32_t position[FIT_LEVELS_MAX];
};

/* Where a CPU lies. */
struct fit_place {
    uint32_t package, core, thread;
};

/* Rule "fit" with the given leaf batch (a power of two). Level batches are at least twice that of
 * the level below. 1 <= nr_cpus <= FIT_CPUS_MAX. */
void fit_shape_make(struct fit_shape *shape, uint32_t nr_cpus, uint32_t batch);

/* The path of the CPU that is number `rank` in order, under rule "fit". */
void fit_path_make(const struct fit_shape *shape, uint32_t rank, struct fit_path *path);

/* Rule "topology": the shape, and each CPU's path. `order` is room for nr_cpus numbers. Returns
 * false where it fell back to rule "fit". */
bool fit_topology_make(struct fit_shape *shape, const struct fit_place *place, uint32_t nr_cpus,
                       uint32_t *order, struct fit_path *paths);

uint64_t fit_error_bound(const struct fit_shape *shape);
/* For `nr` counters with leaves of `leaf_bytes`: leaves, and a line for each position and four. */
uint64_t fit_memory_bytes(const struct fit_shape *shape, unsigned nr, unsigned leaf_bytes);
/* Carries in flight, as derived in tree_shape.h from what I1 says alone. */
uint64_t fit_transient_bound(const struct fit_shape *shape, uint64_t largest);
uint64_t fit_sum_transient_bound(const struct fit_shape *shape, uint64_t largest);

#endif
