/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published tree, activated when a second thread comes (facts.md F2, "Lazy activation"): until
 * then a counter has no per-CPU memory and is exact.
 *
 *            not active                              active
 *   area     0                                       the bytes
 *   root     number of the owner CPU                 lane of line 0
 *   bias     what the owner added, without atomics   stays as it is
 *   remote   what all others added, atomically       stays, but for late ones
 *
 * The struct is struct tree_counter; the two biases stand in its reserved words. The owner is a
 * task in a kernel; here each CPU is one: the CPU that initialised the counters.
 *
 * I1. total = bias + remote + total of the tree (0 while not active), modulo 2^64. Every update
 *     goes to exactly one of the three, and activation moves nothing: so none is lost or seen twice
 *     whenever it falls, and no update waits for it. An update that saw the counter not active and
 *     comes after activation lands in bias or remote, where all sums still look.
 * I2. bias is changed by the owner CPU alone, by one instruction (counters/local_word.h).
 * I3. `root` changes once, from owner to lane, and before `area`, which is published by release. A
 *     lane is no CPU number: who reads `root` as the owner in between is a remote one, also the
 *     owner itself; nobody takes himself for the owner that is not.
 * I4. One activation wins: the compare-exchange of counters[0].root stands for the published mutex,
 *     and no one waits in it; who loses gives back what he allocated.
 *
 * Bound: 0 before, the tree's after. Memory: 0 before.
 * Memory order: `area` release/acquire, for the lines' and bytes' zeros and `root`; else relaxed.
 * Cost before activation: the counter's line and, for others than the owner, one atomic on it.
 */
#ifndef COUNTERS_TREE_LAZY_H
#define COUNTERS_TREE_LAZY_H

#include "counters/local_word.h"
#include "counters/tree.h"

enum tree_lazy_reserved { TREE_LAZY_BIAS, TREE_LAZY_REMOTE };

/* Exact at `amount`, owned by this CPU. Allocates nothing. */
void tree_lazy_init_many(struct tree_counter *counters, const struct tree_kind *kind,
                         int64_t amount, unsigned nr);
void tree_lazy_destroy_many(struct tree_counter *counters, unsigned nr);

/* Any CPU, beside updates, reads and other activations. 0, or -CS_ENOMEM and nothing changed. */
int tree_lazy_activate(struct tree_counter *counters, unsigned nr) must_check;

static inline bool tree_lazy_is_active(const struct tree_counter *counter)
{
    return __atomic_load_n(&counter->area, __ATOMIC_ACQUIRE);
}

/* An update of a counter that is not active. */
void tree_lazy_add_bias(struct tree_counter *counter, int64_t amount);

static always_inline void tree_lazy_add_batch(struct tree_counter *counter, int64_t amount,
                                              uint32_t batch)
{
    if (likely(tree_lazy_is_active(counter)))
        tree_add_batch(counter, amount, batch);
    else
        tree_lazy_add_bias(counter, amount);
}

/* O(1); exact while not active. */
int64_t tree_lazy_approximate_sum(struct tree_counter *counter);
int64_t tree_lazy_precise_sum(struct tree_counter *counter);
/* No concurrent updates. */
void tree_lazy_set(struct tree_counter *counter, int64_t value);
/* 0 while not active. */
uint64_t tree_lazy_error_bound(const struct tree_counter *counter);
int tree_lazy_compare(struct tree_counter *counter, int64_t value);
int tree_lazy_compare_with(struct tree_counter *a, struct tree_counter *b);

#endif
