/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counter tree over a fitted shape: a signed byte for each CPU as in counters/tree.h, below as
 * many items as the machine needs (counters/fit_shape.h). What counters/designs/tree_fit.c and
 * tree_topo.c are made of; the kind is each caller's constant, so nothing is read of it that the
 * compiler knows.
 *
 * I1. |byte| < FIT_LEAF_BATCH; it is changed by its own CPU alone, except by fit_set().
 * I2. At rest |approximate - precise| <= fit_error_bound().
 * I3. Counters initialised together share their lines and are slices of one per-CPU area.
 *
 * 16 bytes: the four counters of an mm lie in one line, which updates only read. Memory order:
 * relaxed, as counters/tree.h.
 *
 * Cost: an add below the batch: the counter's line (read), the CPU's own line. A carry also: the
 * line of the CPU's path (its own), one atomic add at level 1; two and one more for each further
 * level. precise: one line for each CPU and item.
 */
#ifndef COUNTERS_FIT_H
#define COUNTERS_FIT_H

#include "counters/lines.h"

struct fit_counter {
    percpu_area_t area; /* int8_t on every CPU; 0 = not initialised */
    _Atomic int64_t *root;
};

/* As tree_init_many() and tree_destroy_many(). */
int fit_init_many(struct fit_counter *counters, const struct fit_kind *kind, int64_t amount,
                  unsigned nr) must_check;
void fit_destroy_many(struct fit_counter *counters, const struct fit_kind *kind, unsigned nr);

/* What fit_destroy_many() frees, for counters that keep struct fit_counter in something larger:
 * the first one's copy. */
void fit_parts_free(struct fit_counter first, const struct fit_kind *kind, unsigned nr);

/* The part of an add that leaves the byte. */
void fit_add_slow(struct fit_counter *counter, const struct fit_kind *kind, int64_t amount);

/* Context: any, interrupts too. The total wraps at 64 bits. */
static always_inline void fit_add(struct fit_counter *counter, const struct fit_kind *kind,
                                  int64_t amount)
{
    percpu_area_t area = counter->area;
    int8_t residual = this_cpu_read_s8(area);
    uint64_t next;

    do {
        next = (uint64_t)(int64_t)residual + (uint64_t)amount;
        if (unlikely(!tree_is_within(next, FIT_LEAF_BATCH))) {
            fit_add_slow(counter, kind, amount);
            return;
        }
    } while (unlikely(!this_cpu_try_cmpxchg_s8(area, &residual, (int8_t)next)));
}

static inline int64_t fit_read(struct fit_counter *counter)
{
    return tree_root(counter->root);
}

/* Exact at rest; beside updates it can miss a carry on its way up, or see one twice. */
int64_t fit_sum(struct fit_counter *counter, const struct fit_kind *kind);
/* No concurrent updates. */
void fit_set(struct fit_counter *counter, const struct fit_kind *kind, int64_t value);
int fit_compare(struct fit_counter *counter, const struct fit_kind *kind, int64_t value);

#endif
