/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hierarchical per-CPU counter (facts.md F2): a signed byte for each CPU, a tree of atomic
 * items without locks above it, and an approximate sum in the root.
 *
 * I1. |byte| < batch; it is changed by its own CPU alone, except by tree_set().
 * I2. At rest |approximate - precise| <= tree_shape_error_bound() of the kind's shape; 0 <= both
 *     ways: the approximation can lie on either side by as much.
 * I3. Counters initialised together share their lines (counters/tree_items.h) and are slices of
 *     one per-CPU area: destroy_many takes exactly what init_many was given.
 *
 * No locks of its own. Memory order: relaxed throughout (tree_items.h); who hands a counter to
 * other CPUs after init publishes it with release, as any object.
 *
 * A CPU that stops keeps its byte: the sum walks all possible CPUs, the bound counts them all, and
 * a CPU that comes back goes on with the byte it left. Nothing has to be folded.
 *
 * Cost: an add that stays below the batch touches the counter's line (read) and the CPU's own line.
 * A carry: tree_items.h. approximate: the root's line. precise: one line for each CPU and item.
 */
#ifndef COUNTERS_TREE_H
#define COUNTERS_TREE_H

#include <arch/percpu.h>

#include "counters/compare.h"
#include "counters/tree_items.h"

struct slab_cache;

/* What all counters of one sort share. */
struct tree_kind {
    struct tree_shape shape;
    struct slab_cache *lines; /* the lines of up to 4 counters; NULL: taken by size */
};

struct tree_counter {
    percpu_area_t area;    /* int8_t on every CPU; 0 = not initialised */
    _Atomic int64_t *root; /* the counter's lane of line 0 */
    const struct tree_kind *kind;
    uint64_t reserved[2]; /* the published struct's size; its two biases would be here */
};
_Static_assert(sizeof(struct tree_counter) == 40, "as large as the counter it stands for");

/* The published shape, or that of percpu_counter_tree.arity=, with rss_stat_batch=; fixed once the
 * number of CPUs is known. */
extern struct tree_kind tree_boot_kind;

/* All counters start at `amount`. 0, or -CS_ENOMEM with counters[0].area = 0 and nothing kept.
 * nr >= 1; each four share their lines. The kind outlives them. Context: any CPU. */
int tree_init_many(struct tree_counter *counters, const struct tree_kind *kind, int64_t amount,
                   unsigned nr) must_check;
/* Does nothing where counters[0].area is 0; NULL warns once. No updates may run. */
void tree_destroy_many(struct tree_counter *counters, unsigned nr);

/* The part of an add that leaves the byte. */
void tree_add_slow(struct tree_counter *counter, int64_t amount);

/* Adds; `batch` is the leaf batch of the counter's kind, given by callers that know it. Context:
 * any, interrupts too. The total wraps at 64 bits. */
static always_inline void tree_add_batch(struct tree_counter *counter, int64_t amount,
                                         uint32_t batch)
{
    percpu_area_t area = counter->area;
    int8_t residual = this_cpu_read_s8(area);
    uint64_t next;

    do {
        next = (uint64_t)(int64_t)residual + (uint64_t)amount;
        if (unlikely(!tree_is_within(next, batch))) {
            tree_add_slow(counter, amount);
            return;
        }
    } while (unlikely(!this_cpu_try_cmpxchg_s8(area, &residual, (int8_t)next)));
}

static inline void tree_add(struct tree_counter *counter, int64_t amount)
{
    tree_add_batch(counter, amount, counter->kind->shape.batch);
}

/* Set once; relaxed, since an activation that lost (tree_lazy.h, I4) looks at it again. */
static inline _Atomic int64_t *tree_root_of(const struct tree_counter *counter)
{
    return __atomic_load_n(&counter->root, __ATOMIC_RELAXED);
}

/* O(1): within the range below of the precise sum. */
static inline int64_t tree_approximate_sum(struct tree_counter *counter)
{
    return tree_root(tree_root_of(counter));
}

/* Walks all possible CPUs and all items. Exact at rest; beside updates it can miss a carry that is
 * on its way up, or count one twice that overtakes the walk. */
int64_t tree_precise_sum(struct tree_counter *counter);

/* No concurrent updates. */
void tree_set(struct tree_counter *counter, int64_t value);

/* -1, 0, 1: the precise sum against `value`; the walk only when the approximation does not decide.
 */
int tree_compare(struct tree_counter *counter, int64_t value);

/* -1, 0, 1: the precise sum of `a` against that of `b`, of whatever kinds; the walks only when the
 * approximations are no further apart than both margins together. */
int tree_compare_with(struct tree_counter *a, struct tree_counter *b);

/* For users that count what cannot be negative. */
static inline int64_t tree_approximate_sum_positive(struct tree_counter *counter)
{
    return counter_positive(tree_approximate_sum(counter));
}

static inline int64_t tree_precise_sum_positive(struct tree_counter *counter)
{
    return counter_positive(tree_precise_sum(counter));
}

/* precise - *under <= approximate <= precise + *over. */
void tree_accuracy_range(const struct tree_counter *counter, uint64_t *under, uint64_t *over);

/* Makes a kind; its slab cache too, where the lines fit one. `name` is kept. */
void tree_kind_init(struct tree_kind *kind, const struct tree_shape *shape, const char *name);

/* By arithmetic, for `nr` counters: 1 byte each a CPU, a line for each position and four. */
uint64_t tree_memory_bytes(const struct tree_shape *shape, unsigned nr);

#endif
