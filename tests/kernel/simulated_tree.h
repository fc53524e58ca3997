/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter tree of a machine that nobody has: the counters' own logic (counters/tree_items.h) over
 * plain memory, with as many CPUs as wanted. The leaves are an array; everything above is the code
 * that real counters run.
 */
#ifndef TESTS_SIMULATED_TREE_H
#define TESTS_SIMULATED_TREE_H

#include "core/selftest.h"
#include "counters/tree_items.h"

struct simulated_tree {
    struct tree_shape shape;
    int8_t *leaves;
    struct tree_line *lines;
    _Atomic int64_t *root;
};

/* False (and a failed check) when there is no memory. All values are 0. */
bool simulated_tree_make(struct ktest *t, struct simulated_tree *tree,
                         const struct tree_shape *shape) must_check;
bool simulated_tree_make_published(struct ktest *t, struct simulated_tree *tree, uint32_t cpus,
                                   uint32_t batch) must_check;
void simulated_tree_free(struct simulated_tree *tree);

/* What an update on `cpu` does. One caller at a time for each cpu. */
void simulated_tree_add(struct simulated_tree *tree, uint32_t cpu, int64_t amount);
int64_t simulated_tree_sum(const struct simulated_tree *tree);

/* How far the root is from the sum. */
uint64_t simulated_tree_error(const struct simulated_tree *tree);

/* The level-1 item is k = 0. */
int64_t simulated_tree_item(const struct simulated_tree *tree, uint32_t k, uint32_t item);
int64_t tree_batch_below(const struct tree_shape *shape, uint32_t k);

/* Checks I2 of counters/tree_shape.h and the leaves' bound. */
void simulated_tree_check_residuals(struct ktest *t, const struct simulated_tree *tree);

/* Brings every item of every level to its largest residual of `sign`, then the leaves. */
void simulated_tree_fill(struct simulated_tree *tree, int sign);

#endif
