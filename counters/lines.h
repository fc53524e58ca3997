/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of trees whose shape is fitted, and where a CPU's carries go: what the designs over
 * counters/fit_shape.h have in common, whatever their leaves are.
 *
 * Layout of the lines, lanes and steps of a carry: counters/tree_items.h. A CPU's path stands in a
 * per-CPU area of the kind, so that a carry divides and shifts nothing: it reads a line of its own.
 */
#ifndef COUNTERS_LINES_H
#define COUNTERS_LINES_H

#include <arch/percpu.h>

#include "counters/fit_shape.h"
#include "counters/tree_items.h"

struct slab_cache;

/* What all counters of one sort share. */
struct fit_kind {
    struct fit_shape shape;
    percpu_area_t path;       /* struct fit_path on every CPU */
    struct slab_cache *lines; /* of up to 4 counters; NULL: taken by size */
};

/* The shape by rule "fit" for this machine. Panics without memory: at boot. */
void fit_kind_init(struct fit_kind *kind, uint32_t batch, const char *name);
/* By rule "topology", from core/topology.h. */
void fit_kind_init_topology(struct fit_kind *kind, const char *name);

/* Zeroed lines of `nr` counters: each four share theirs. NULL without memory. */
struct tree_line *fit_lines_alloc(const struct fit_kind *kind, unsigned nr) must_check;
void fit_lines_free(const struct fit_kind *kind, struct tree_line *lines, unsigned nr);

/* The root of counter i. */
static inline _Atomic int64_t *fit_lines_root(const struct fit_kind *kind, struct tree_line *lines,
                                              unsigned i)
{
    return &lines[(size_t)(i / TREE_LANES) * kind->shape.nr_positions].item[i % TREE_LANES];
}

/* Adds a multiple of the leaf batch to the items of a path, from level 1 upwards. */
void fit_carry(const struct fit_shape *shape, _Atomic int64_t *root, const struct fit_path *path,
               int64_t amount);

/* The same for this CPU's path, where there are levels. */
void fit_carry_here(const struct fit_kind *kind, int64_t amount, _Atomic int64_t *root);

static always_inline void fit_carry_up(const struct fit_kind *kind, _Atomic int64_t *root,
                                       int64_t amount)
{
    if (kind->shape.nr_levels)
        fit_carry_here(kind, amount, root);
    else
        atomic_fetch_add_explicit(root, amount, memory_order_relaxed);
}

/* Sum of root and items; all items 0 and the root `value`. As in tree_items.h. */
int64_t fit_items_sum(const struct fit_shape *shape, _Atomic int64_t *root);
void fit_items_set(const struct fit_shape *shape, _Atomic int64_t *root, int64_t value);

#endif
