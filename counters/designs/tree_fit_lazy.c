/* SPDX-License-Identifier: Apache-2.0 */
/* Ours, "tree-fit-lazy": the fitted tree, exact until a second thread activates it, with remote
 * updates that do not meet at one word (counters/fit_lazy.h: idea, invariants, memory). What is
 * stated about an active object is tree-fit's, and the remote lines, which an object has that
 * others updated before: they make it miss the promise about memory at small CPU counts. */
#include "counters/fit_lazy.h"

#include "core/init.h"
#include "core/topology.h"
#include "counters/design.h"

static struct fit_kind fit_lazy_kind;

static void fit_lazy_kind_init(void)
{
    fit_kind_init(&fit_lazy_kind, FIT_LEAF_BATCH, "tree-fit-lazy lines");
}
INIT_FN(fit_lazy_kind_init, INIT_LATE, 10);

static int fit_lazy_design_init_many(void *counters, int64_t amount, unsigned nr)
{
    fit_lazy_init_many(counters, amount, nr);
    return 0;
}

static void fit_lazy_design_destroy_many(void *counters, unsigned nr)
{
    fit_lazy_destroy_many(counters, &fit_lazy_kind, nr);
}

static int fit_lazy_design_activate(void *counters, unsigned nr)
{
    return fit_lazy_activate(counters, &fit_lazy_kind, nr);
}

static always_inline void fit_lazy_design_add(void *counter, int64_t amount)
{
    fit_lazy_add(counter, &fit_lazy_kind, amount);
}

static int64_t fit_lazy_design_read(void *counter)
{
    return fit_lazy_read(counter);
}

static int64_t fit_lazy_design_sum(void *counter)
{
    return fit_lazy_sum(counter, &fit_lazy_kind);
}

static void fit_lazy_design_set(void *counter, int64_t value)
{
    fit_lazy_set(counter, &fit_lazy_kind, value);
}

static int fit_lazy_design_compare(void *counter, int64_t value)
{
    return fit_lazy_compare(counter, &fit_lazy_kind, value);
}

static uint64_t fit_lazy_design_error_bound(uint32_t cpus)
{
    struct fit_shape shape;

    fit_shape_make(&shape, cpus, FIT_LEAF_BATCH);
    return fit_error_bound(&shape);
}

static uint64_t fit_lazy_design_memory_bytes(uint32_t cpus, unsigned nr)
{
    uint64_t fours = (nr + TREE_LANES - 1) / TREE_LANES;
    struct fit_shape shape;

    fit_shape_make(&shape, cpus, FIT_LEAF_BATCH);
    return fit_memory_bytes(&shape, nr, sizeof(int8_t)) +
           fours * FIT_LAZY_REMOTE * sizeof(struct tree_line);
}

static uint64_t fit_lazy_design_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct fit_shape shape;

    fit_shape_make(&shape, cpus, FIT_LEAF_BATCH);
    return fit_transient_bound(&shape, largest);
}

static uint64_t fit_lazy_design_sum_transient_bound(uint32_t cpus, uint64_t largest)
{
    struct fit_shape shape;

    fit_shape_make(&shape, cpus, FIT_LEAF_BATCH);
    return fit_sum_transient_bound(&shape, largest);
}

COUNTER_DESIGN("tree-fit-lazy", .summary = "fitted tree, lazy; remote updates spread over lines",
               .counter_bytes = sizeof(struct fit_lazy), .counter_align = _Alignof(struct fit_lazy),
               .init_many = fit_lazy_design_init_many, .destroy_many = fit_lazy_design_destroy_many,
               .activate = fit_lazy_design_activate, .add = fit_lazy_design_add,
               .read = fit_lazy_design_read, .sum = fit_lazy_design_sum, .set = fit_lazy_design_set,
               .compare = fit_lazy_design_compare, .error_bound = fit_lazy_design_error_bound,
               .memory_bytes = fit_lazy_design_memory_bytes,
               .transient_bound = fit_lazy_design_transient_bound,
               .sum_transient_bound = fit_lazy_design_sum_transient_bound);
