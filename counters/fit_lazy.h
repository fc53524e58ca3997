/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fitted tree (counters/fit.h) that begins with its second thread, and whose remote updates
 * before that do not meet at one word: what counters/designs/tree_fit_lazy.c is made of.
 *
 * Weakness of the published biases: every update of a single-threaded process's counters by others
 * than its owner (reclaim, migration, a debugger, /proc writers) is an atomic on one word beside
 * the owner's, and takes the owner's line from it each time. Idea: the first remote update gives
 * the object FIT_LAZY_REMOTE lines, one for each block of neighbouring CPUs; a CPU adds to its
 * block's line, in the counter's lane. Objects that nobody else updates pay nothing; without
 * memory, and in interrupts that find none, one word stands in.
 *
 *   counter 0 (head)   bias | spare | remote -> line 0: lanes of counters 0 ... 3   CPUs 0 ... n/4
 *   counters 1 ... 3   bias | spare |           line 1                                n/4 ... n/2
 *                                               ...
 *
 * I1. total = bias + spare + lanes of the remote lines + total of the tree, modulo 2^64; each
 * update goes to exactly one of them, and activation moves nothing (counters/tree_lazy.h, I1). I2.
 * bias is changed by the owner CPU alone, by one instruction, and only while not active. I3.
 * `remote` of each four counters' first changes once, from NULL, by compare-exchange; who loses
 *     gives his lines back. Likewise activation, at `owner` of counter 0; then come all roots, then
 *     all areas.
 * Bound: 0 before activation, the fitted tree's after. Read: the counter's line, and the remote
 * lines where there are any. Memory: 48 bytes a counter; FIT_LAZY_REMOTE lines for four counters
 * that had remote updates; after activation the tree's.
 * Memory order: as tree_lazy.h; `remote` release/acquire for the lines' zeros.
 */
#ifndef COUNTERS_FIT_LAZY_H
#define COUNTERS_FIT_LAZY_H

#include "counters/fit.h"
#include "counters/local_word.h"

#define FIT_LAZY_REMOTE 4u
#define FIT_LAZY_ACTIVATED UINT32_MAX /* in counter 0 */

struct fit_lazy {
    struct fit_counter tree; /* area = 0: not active */
    uint64_t bias;
    _Atomic uint64_t spare;
    struct tree_line *remote; /* of each four counters' first */
    _Atomic uint32_t owner;   /* CPU; FIT_LAZY_ACTIVATED */
    uint32_t lane;            /* number among its four */
};

void fit_lazy_init_many(struct fit_lazy *counters, int64_t amount, unsigned nr);
void fit_lazy_destroy_many(struct fit_lazy *counters, const struct fit_kind *kind, unsigned nr);
/* Any CPU, beside updates, reads and other activations. 0, or -CS_ENOMEM and nothing changed. */
int fit_lazy_activate(struct fit_lazy *counters, const struct fit_kind *kind,
                      unsigned nr) must_check;

static inline bool fit_lazy_is_active(const struct fit_lazy *counter)
{
    return __atomic_load_n(&counter->tree.area, __ATOMIC_ACQUIRE);
}

/* An update of a counter that is not active. */
void fit_lazy_add_bias(struct fit_lazy *counter, int64_t amount);

static always_inline void fit_lazy_add(struct fit_lazy *counter, const struct fit_kind *kind,
                                       int64_t amount)
{
    if (likely(fit_lazy_is_active(counter)))
        fit_add(&counter->tree, kind, amount);
    else
        fit_lazy_add_bias(counter, amount);
}

int64_t fit_lazy_read(struct fit_lazy *counter);
int64_t fit_lazy_sum(struct fit_lazy *counter, const struct fit_kind *kind);
/* No concurrent updates. */
void fit_lazy_set(struct fit_lazy *counter, const struct fit_kind *kind, int64_t value);
int fit_lazy_compare(struct fit_lazy *counter, const struct fit_kind *kind, int64_t value);

#endif
