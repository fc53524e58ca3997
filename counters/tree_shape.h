/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of a counter tree: which items stand between a CPU and the root (facts.md F2). Pure
 * arithmetic over a number of CPUs, which need not be this machine's.
 *
 *   arity 8,8,8 over 384 CPUs (rounded up to 512), leaf batch 32:
 *
 *                  root                        position 0
 *          /        |        \                 level 2: 8 items, batch 2048, positions 1 … 8
 *      /  |  \   /  |  \   /  |  \             level 1: 64 items, batch 256, positions 9 … 72
 *     CPUs 0 … 383, 8 to a level-1 item        level 0: a signed byte each, batch 32
 *
 * I1. Fan-outs are powers of two; level k's batch is the leaf batch times the fan-outs below it.
 * I2. At rest an item of level k holds a multiple of batch(k-1), smaller than batch(k) in size.
 * I3. Positions are numbered from the root: 0, then the levels downwards. Each is one cache line
 *     (counters/tree_items.h).
 */
#ifndef COUNTERS_TREE_SHAPE_H
#define COUNTERS_TREE_SHAPE_H

#include "core/compiler.h"

#define TREE_CPUS_MAX 65536u
#define TREE_ARITY_MAX 8u /* fan-outs, the root's included; the published shapes need 5 at most */

/* A leaf is a signed byte that holds |residual| < batch: 127 at most. A power of two, so that the
 * carry is a mask and level batches divide one another. 1 passes every update on. */
#define TREE_BATCH_DEFAULT 32u
#define TREE_BATCH_MAX 128u

/* Fan-outs from the leaves upwards; the last one is the root's. */
struct tree_arity {
    uint32_t nr;
    uint32_t fan_out[TREE_ARITY_MAX];
};

struct tree_level {
    int64_t batch;
    uint32_t first;     /* position of the level's item 0 */
    uint32_t items;     /* for the rounded-up number of CPUs */
    uint32_t cpu_shift; /* CPU c belongs to item c >> cpu_shift */
};

struct tree_shape {
    uint32_t nr_cpus;
    uint32_t batch;        /* of the leaves */
    uint32_t nr_levels;    /* between leaves and root; 0: leaves carry to the root */
    uint32_t nr_positions; /* items of all levels, and the root */
    struct tree_level level[TREE_ARITY_MAX - 1]; /* level[0] is level 1, next to the leaves */
};

/* The published rule: the number of CPUs rounded up to a power of two; one level up to 32; 16,4 up
 * to 64; beyond, 8 at each level, and 16 or 4 at the root where one or two orders remain.
 * 1 <= nr_cpus <= TREE_CPUS_MAX. */
void tree_arity_published(uint32_t nr_cpus, struct tree_arity *arity);

/* "8,8,8". 0, or -CS_EINVAL with *why for people. */
int tree_arity_parse(const char *text, struct tree_arity *arity, const char **why) must_check;

bool tree_batch_is_valid(uint32_t batch);

/* Lays the tree out. 0, or -CS_EINVAL with *why: fan-outs that are no powers of two or do not
 * reach nr_cpus, a leaf batch out of range. */
int tree_shape_make(struct tree_shape *shape, uint32_t nr_cpus, uint32_t batch,
                    const struct tree_arity *arity, const char **why) must_check;

/* Both at once for the published rule; panics on arguments out of range. */
void tree_shape_published(struct tree_shape *shape, uint32_t nr_cpus, uint32_t batch);

/* |approximate - precise| at rest is at most this (derivation: I2, and |leaf| <= batch - 1):
 *   nr_cpus * (batch - 1) + sum over levels k of items(k) * (batch(k) - batch(k-1))
 * Items are counted for the rounded-up number of CPUs, as published. */
uint64_t tree_shape_error_bound(const struct tree_shape *shape);

/*
 * Carries in flight (transient_bound and sum_transient_bound of counters/design.h).
 *
 * C(k), the most that one update of `largest` passes out of level k (0: the leaf): the leaf's carry
 * is at most `largest` rounded up to the leaf batch, since the leaf holds up to batch - 1; out of
 * an item of level k go whole batches, at most C(k-1) rounded up to batch(k), since it held up to
 * batch(k) - batch(k-1); what it takes back because others moved the item meanwhile lies within
 * that (tree_items.h, I2: the steps' claims alternate in sign and do not grow). Batches divide one
 * another, so C(k) = `largest` rounded up to batch(k).
 *
 * Approximation: let all updates in flight be completed, one after the other. Then the root is
 * within the bound at rest, and it moved by at most C(top) for each of them: at any instant it is
 * off by at most the bound + nr_cpus * C(top).
 *
 * Precise sum: sees every leaf within its batch, and every item at some instant, when it is within
 * batch(k) - batch(k-1) but for what updates in flight there have put in or not yet taken out,
 * C(k) at most for each CPU below it. Together with the root, seen at one instant: it is off by at
 * most 2 * bound + nr_cpus * (C(top) + sum over levels of C(k)); amounts that climb while it walks
 * are missed or seen twice.
 */
uint64_t tree_shape_transient_bound(const struct tree_shape *shape, uint64_t largest);
uint64_t tree_shape_sum_transient_bound(const struct tree_shape *shape, uint64_t largest);

/* The most that one CPU's way to the root holds: its leaf, and an item of each level. */
uint64_t tree_shape_path_error(const struct tree_shape *shape);

#endif
