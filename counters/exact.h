/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter tree whose precise sum is linearizable and whose leaves are wide: what
 * counters/designs/tree_exact.c is made of.
 *
 * Idea 1: the leaf forgets nothing. A CPU's word has its residual r and C, the number of batches
 * that it has ever carried, changed together:
 *
 *    31                          8 7         0
 *   +-----------------------------+-----------+
 *   | C, modulo 2^24              | r, signed |     added on this CPU = C * batch + r
 *   +-----------------------------+-----------+
 *
 * Carries go up the tree as ever, but only the approximation (the root) is made of them. The
 * precise sum reads the leaves alone: there is no carry in flight that it could miss, no item to
 * walk. Its high bits, which the leaves do not have, are the root's (I3).
 *
 * Idea 2: one word says whether leaves may be changed. Updates compare with `width`, which they
 * need anyway: |residual| < batch is one unsigned comparison with width = 2 * batch - 1. A sum sets
 * it to 0, so that every update fails the comparison, and its slow path adds to `side`, one atomic
 * word, instead. Nobody waits for the sum.
 *
 *   sum:      width <- 0;  s <- side;  w[i] <- leaf[i] for all CPUs;  width <- 2 * batch - 1
 *   update:   width?  not 0: leaf <- leaf + amount     0, or |amount| > EXACT_LARGE: side += amount
 *
 * I1. total = side + sum over CPUs of (C * batch + r), modulo 2^64 once C is completed by I3.
 * I2. |r| < batch; a leaf is changed by its own CPU alone, except by exact_set().
 * I3. |root - sum of the leaves| < 2^23 * batch at every instant: at most the bound at rest, and
 *     the topmost batch for each update in flight (tree_shape.h), EXACT_NESTING of them on a CPU;
 *     the largest update of a leaf is below the topmost batch or adds itself. Checked for 1 ...
 *     8192 CPUs by tests/kernel/counters_fit.c. So the low 24 bits of each C give the sum of the
 *     leaves.
 * I4. Sums of one counter come one after the other (`sums`, a spinlock that no update takes).
 *
 * Theorem. With updates at any time, exact_sum() returns the total at one instant R between its
 * call and its return, where each update takes effect once, between its own call and return. Proof.
 * Let G be the store of 0 to width, R the load of side, L(i) > R the load of leaf i; the order G,
 * R, L(i) is kept by a sequentially consistent exchange and load. Call an update late if it read
 * width before G and changes its leaf after G. Let an update take effect when it changes leaf or
 * side, except that a late one which changes leaf i between R and L(i) does so immediately before
 * R; it had read width before G < R, so it had been called. Then: (a) What took effect before R is
 * in the value: side at R; leaves, whose words only grow by updates and are read after R. (b) What
 * is in the value took effect before R: side, clear; a change of leaf i between R and L(i) is of a
 * late update, since who reads width after G and before it opens again does not change a leaf, and
 * width opens after all L(i) (release/acquire). (c) No update X that returned before Y was called
 * takes effect after Y: only a Y that was moved, to R, can precede its X. X returned before Y read
 * width, before G, hence X took effect before G. Two sums: the later one has a later R, by I4; the
 * exception is the earlier one's own. Where order is not total: (c) needs that an update which
 * follows another CPU's change after L(i) or R sees width closed. That is a cycle of from-read,
 * happens-before, from-read and G -> R, which multi-copy atomic machines forbid (x86-TSO; Armv8:
 * store-release to load-acquire is kept). Progress: updates are wait-free (one compare-exchange
 * against interrupts, then at most three adds a level). A sum waits for sums of the same counter,
 * never for updates.
 *
 * Idea 3: a wide leaf where flat has one. From 48 CPUs the leaf batch is 64, from 96 it is 128, so
 * that +-32 at random on a private counter stays in the leaf: 128 carries every 16th time, the
 * published 32 every time. Bound at 384: 65,664 (flat 294,528, published tree 40,576); never above
 * flat's (tested, 1 ... 8192), which leaves no room for a wide leaf below 44 CPUs: from 17 to 47
 * flat folds less often at +-32 than this tree carries.
 *
 * Cost: an add in the leaf: the counter's line (read), its own line. A carry: counters/lines.h. A
 * sum: the counter's line exclusively, twice; side's line; one line for each CPU. The others read
 * the counter's line anew after it. Memory: 4 bytes a CPU and counter, as flat, and the lines.
 */
#ifndef COUNTERS_EXACT_H
#define COUNTERS_EXACT_H

#include "core/spinlock.h"
#include "counters/lines.h"

#define EXACT_RESIDUAL_BITS 8u
#define EXACT_BATCHES_BITS (32u - EXACT_RESIDUAL_BITS)
#define EXACT_BATCH_MAX (1u << (EXACT_RESIDUAL_BITS - 1))
#define EXACT_CPUS_MAX 8192u
#define EXACT_NESTING 4u /* a task and three interrupts, each within an update */
#define EXACT_LARGE 512  /* larger amounts go to side at once */

struct exact_kind {
    struct fit_kind fit;
    uint64_t half;         /* batch - 1, the largest residual */
    int64_t multiples;     /* mask of the multiples of the batch */
    uint32_t width;        /* 2 * batch - 1: residuals that a leaf keeps */
    uint32_t carry_factor; /* a carry times it is what the leaf changes by: out of r, into C */
    uint32_t batch_bits;
    uint32_t high_bits; /* of a total, which the leaves do not have */
};

struct exact_counter {
    percpu_area_t area;    /* int32_t on every CPU; 0 = not initialised */
    _Atomic int64_t *root; /* side is in the same line, TREE_LANES words on */
    _Atomic uint32_t width;
    struct spinlock sums;
};

/* The leaf batch on a machine of that many CPUs: 32, 64, 128. */
uint32_t exact_leaf_batch(uint32_t cpus);
void exact_shape_make(struct fit_shape *shape, uint32_t cpus);
void exact_kind_init(struct exact_kind *kind, const char *name);

/* As tree_init_many() and tree_destroy_many(). */
int exact_init_many(struct exact_counter *counters, const struct exact_kind *kind, int64_t amount,
                    unsigned nr) must_check;
void exact_destroy_many(struct exact_counter *counters, const struct exact_kind *kind, unsigned nr);

static always_inline int64_t exact_residual(uint32_t leaf)
{
    return (int8_t)leaf;
}

/* The part of an add that leaves the residual; `width` as the add has read it. The arguments stand
 * where the next calls want theirs: this is the path of every +-32. */
void exact_add_slow(const struct exact_kind *kind, uint64_t width, int64_t amount,
                    struct exact_counter *counter);

/* Context: any, interrupts too. The total wraps at 64 bits. Acquire: (b) of the proof. */
static always_inline void exact_add(struct exact_counter *counter, const struct exact_kind *kind,
                                    int64_t amount)
{
    uint64_t width = atomic_load_explicit(&counter->width, memory_order_acquire);
    percpu_area_t area = counter->area;
    int32_t leaf = this_cpu_read_s32(area);

    do {
        uint64_t next = (uint64_t)exact_residual((uint32_t)leaf) + (uint64_t)amount;

        if (unlikely(next + kind->half >= width)) {
            exact_add_slow(kind, width, amount, counter);
            return;
        }
    } while (unlikely(
        !this_cpu_try_cmpxchg_s32(area, &leaf, (int32_t)((uint32_t)leaf + (uint32_t)amount))));
}

static inline _Atomic int64_t *exact_side(struct exact_counter *counter)
{
    return counter->root + TREE_LANES;
}

/* O(1), one line: within the bound of the total. */
static inline int64_t exact_read(struct exact_counter *counter)
{
    return (int64_t)((uint64_t)tree_root(counter->root) + (uint64_t)tree_root(exact_side(counter)));
}

/* The total at one instant (theorem). Masks interrupts. */
int64_t exact_sum(struct exact_counter *counter, const struct exact_kind *kind);
/* No concurrent updates. */
void exact_set(struct exact_counter *counter, const struct exact_kind *kind, int64_t value);
int exact_compare(struct exact_counter *counter, const struct exact_kind *kind, int64_t value);

#endif
