/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logic of a counter tree over plain memory: leaf step, carries, sums. Knows no per-CPU memory
 * and no machine: the real counter (counters/tree.h) and the tests of machines that nobody has call
 * the same functions with a CPU number.
 *
 * Layout: one 64-byte line for each position, shared by the (up to) 4 counters that were
 * initialised together; each has its lane of 8 bytes:
 *
 *             lane 0   lane 1   lane 2   lane 3
 *   line 0   | root   | root   | root   | root   | (32 bytes free) |   position 0
 *   line 1   | item   | item   | item   | item   |                 |   position 1
 *
 * An update comes with the counter's root pointer; position p of the same lane lies p lines on.
 *
 * I1. total = sum of the leaves + sum of the items + root, modulo 2^64, except for carries in
 *     flight: amounts that have left an item and not yet arrived above.
 * I2. At rest |item of level k| < batch(k). Proof sketch: only an add that takes the item outwards
 *     over a multiple of the batch passes that multiple on ("claims" it), and takes it out of the
 *     item with a second add, which follows the same rule. Let F = floor(item / batch) after the
 *     item last entered item >= batch, and P the claims not yet taken out: the entering add claims
 *     all of F; outward adds raise P and F alike, inward ones lower F alone, taking out lowers both
 *     alike. So P >= F throughout, and at rest P = 0. The same below -batch.
 * I3. Without other updates in between, this is the published rule: the largest multiple of the
 *     batch goes up once the residual has reached it, in either direction; hysteresis: going back
 *     and forth around a boundary passes nothing on.
 * I4. What is claimed is never more than what was moved, so updates that disturb one another pass
 *     amounts to and fro for a bounded number of rounds, and no compare-exchange is retried.
 *
 * Memory order: relaxed adds throughout. Each word is whole and total order holds for each word
 * alone; nothing else is ordered by a counter.
 *
 * Cost: a carry that stays at level 1 is one atomic add on one line. Each further level costs two
 * adds on the line below it (in, and out again) and one on its own.
 */
#ifndef COUNTERS_TREE_ITEMS_H
#define COUNTERS_TREE_ITEMS_H

#include <stdatomic.h>

#include "counters/tree_shape.h"

#define TREE_LANES 4u
#define TREE_LINE_WORDS (CACHE_LINE_BYTES / sizeof(int64_t))

struct tree_line {
    _Atomic int64_t item[TREE_LANES];
    uint64_t free[TREE_LINE_WORDS - TREE_LANES];
};
_Static_assert(sizeof(struct tree_line) == CACHE_LINE_BYTES, "one line for each position");

/* The item at `position` of the counter whose root is given. */
static inline _Atomic int64_t *tree_item(_Atomic int64_t *root, uint32_t position)
{
    return root + (size_t)position * TREE_LINE_WORDS;
}

/* The largest multiple of `batch` (a power of two), toward zero. */
static inline int64_t tree_multiple(int64_t value, int64_t batch)
{
    uint64_t bias = (uint64_t)(value >> 63) & (uint64_t)(batch - 1);

    return (int64_t)(((uint64_t)value + bias) & ~(uint64_t)(batch - 1));
}

/* The same for any batch: topologies have batches that are no power of two. */
static inline int64_t tree_item_multiple(int64_t value, int64_t batch)
{
    return batch & (batch - 1) ? value / batch * batch : tree_multiple(value, batch);
}

/* The claim of a step: the multiples that it goes outwards over (I2); 0 inwards. */
static inline int64_t tree_claim(int64_t before, int64_t after, int64_t batch)
{
    int64_t had = tree_item_multiple(before, batch), reached = tree_item_multiple(after, batch);

    if (reached > 0)
        return reached > MAX(had, 0) ? reached - MAX(had, 0) : 0;
    return reached < MIN(had, 0) ? (int64_t)((uint64_t)reached - (uint64_t)MIN(had, 0)) : 0;
}

/* Whether |value| < batch. One comparison. */
static always_inline bool tree_is_within(uint64_t value, uint64_t batch)
{
    const uint64_t limit = batch - 1;

    return likely(value + limit <= 2 * limit);
}

/* An update on its way through one item. */
struct tree_passage {
    int64_t amount;  /* what the next step adds to the item */
    uint64_t passed; /* what goes to the level above once no step is left */
};

/* What the step from `before` to `after` claims is passed on, and left to be taken out by the next
 * step. False when there is nothing. */
static inline bool tree_passage_claim(struct tree_passage *passage, int64_t before, int64_t after,
                                      int64_t batch)
{
    int64_t claim = tree_claim(before, after, batch);

    passage->passed += (uint64_t)claim;
    passage->amount = (int64_t)(0 - (uint64_t)claim);
    return claim != 0;
}

/* One step: adds and claims. False when no step is left. tree_carry() takes the steps in a row, the
 * tests in every order. Wraps modulo 2^64. */
static inline bool tree_item_step(_Atomic int64_t *item, struct tree_passage *passage,
                                  int64_t batch)
{
    int64_t before = atomic_fetch_add_explicit(item, passage->amount, memory_order_relaxed);
    uint64_t after = (uint64_t)before + (uint64_t)passage->amount;

    /* Within, it reached no multiple but 0. */
    return !tree_is_within(after, (uint64_t)batch) &&
           tree_passage_claim(passage, before, (int64_t)after, batch);
}

/* The claim of a first step that was not within, and the steps that follow from it; returns what is
 * passed on. */
static inline int64_t tree_item_settle(_Atomic int64_t *item, int64_t before, int64_t after,
                                       int64_t batch)
{
    struct tree_passage passage = {0};

    if (tree_passage_claim(&passage, before, after, batch))
        while (tree_item_step(item, &passage, batch))
            ;
    return (int64_t)passage.passed;
}

/* A first step: false where it claims nothing, else `before` and `after` are for
 * tree_item_settle(). */
static always_inline bool tree_item_claims(_Atomic int64_t *item, int64_t amount, int64_t batch,
                                           int64_t *before, int64_t *after)
{
    *before = atomic_fetch_add_explicit(item, amount, memory_order_relaxed);
    *after = (int64_t)((uint64_t)*before + (uint64_t)amount);
    return !tree_is_within((uint64_t)*after, (uint64_t)batch);
}

/* Adds to the items above a leaf of `cpu`, from level 1 upwards. `amount` is a multiple of the leaf
 * batch; cpu is below the shape's rounded-up number. */
void tree_carry(const struct tree_shape *shape, _Atomic int64_t *root, uint32_t cpu,
                int64_t amount);

/* A leaf's residual with `amount` added: what stays; *carry is what tree_carry() gets. */
static inline int8_t tree_leaf_split(int8_t residual, int64_t amount, uint32_t batch,
                                     int64_t *carry)
{
    int64_t sum = (int64_t)((uint64_t)(int64_t)residual + (uint64_t)amount);

    *carry = tree_multiple(sum, batch);
    return (int8_t)(sum - *carry);
}

static inline int64_t tree_root(_Atomic int64_t *root)
{
    return atomic_load_explicit(root, memory_order_relaxed);
}

/* The root and all items; the leaves are the caller's. */
int64_t tree_items_sum(const struct tree_shape *shape, _Atomic int64_t *root);

/* All items 0 and the root `value`. No concurrent updates. */
void tree_items_set(const struct tree_shape *shape, _Atomic int64_t *root, int64_t value);

#endif
