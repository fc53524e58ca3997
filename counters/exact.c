/* SPDX-License-Identifier: Apache-2.0 */
/* Life, carries and sums of the linearizable counter tree; see counters/exact.h. */
#include "counters/exact.h"

#include "core/errno.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/topology.h"
#include "counters/compare.h"

LOCK_CLASS_OF_OBJECTS(exact_sums_class, "sums of one counter");

_Static_assert(sizeof(struct tree_line) >= 2 * TREE_LANES * sizeof(int64_t),
               "a line has room for roots and sides");

uint32_t exact_leaf_batch(uint32_t cpus)
{
    uint32_t batch = FIT_LEAF_BATCH;

    while (batch < EXACT_BATCH_MAX && 3 * batch <= 2 * cpus)
        batch *= 2;
    return batch;
}

void exact_shape_make(struct fit_shape *shape, uint32_t cpus)
{
    fit_shape_make(shape, cpus, exact_leaf_batch(cpus));
}

void exact_kind_init(struct exact_kind *kind, const char *name)
{
    uint32_t batch = exact_leaf_batch(nr_cpus);

    ASSERT(nr_cpus <= EXACT_CPUS_MAX); /* I3 */
    fit_kind_init(&kind->fit, batch, name);
    kind->half = batch - 1;
    kind->multiples = -(int64_t)batch;
    kind->width = 2 * batch - 1;
    kind->batch_bits = (uint32_t)__builtin_ctz(batch);
    kind->high_bits = 64 - EXACT_BATCHES_BITS - kind->batch_bits;
    kind->carry_factor = (1u << (EXACT_RESIDUAL_BITS - kind->batch_bits)) - 1;
}

int exact_init_many(struct exact_counter *counters, const struct exact_kind *kind, int64_t amount,
                    unsigned nr)
{
    const size_t slice = percpu_slice_bytes(sizeof(int32_t), _Alignof(int32_t));
    struct tree_line *lines = fit_lines_alloc(&kind->fit, nr);
    percpu_area_t area =
        lines ? percpu_area_alloc_group(sizeof(int32_t), _Alignof(int32_t), nr) : 0;

    if (!area) {
        if (lines)
            fit_lines_free(&kind->fit, lines, nr);
        counters[0].area = 0;
        return -CS_ENOMEM;
    }
    for (unsigned i = 0; i < nr; i++) {
        struct exact_counter *counter = &counters[i];

        counter->area = area + i * slice;
        counter->root = fit_lines_root(&kind->fit, lines, i);
        atomic_store_explicit(exact_side(counter), amount, memory_order_relaxed);
        atomic_store_explicit(&counter->width, kind->width, memory_order_relaxed);
        spin_lock_init(&counter->sums, &exact_sums_class);
    }
    return 0;
}

void exact_destroy_many(struct exact_counter *counters, const struct exact_kind *kind, unsigned nr)
{
    percpu_area_t area = counters[0].area;

    if (!area)
        return;
    fit_lines_free(&kind->fit, (struct tree_line *)counters[0].root, nr);
    for (unsigned i = 0; i < nr; i++)
        counters[i].area = 0;
    percpu_area_free(area);
}

/* By an update that saw width open: it may change its leaf, late or not. tree_leaf_split() of a
 * leaf that counts its carries; false when an interrupt was faster. */
static always_inline bool exact_add_leaf(const struct exact_kind *kind,
                                         struct exact_counter *counter, int64_t amount)
{
    int32_t leaf = this_cpu_read_s32(counter->area);
    int64_t sum = exact_residual((uint32_t)leaf) + amount;
    int64_t carry = (sum + ((sum >> 63) & (int64_t)kind->half)) & kind->multiples;
    uint32_t kept = (uint32_t)leaf + (uint32_t)amount + (uint32_t)carry * kind->carry_factor;

    if (unlikely(!this_cpu_try_cmpxchg_s32(counter->area, &leaf, (int32_t)kept)))
        return false;
    /* 0 where an interrupt had taken the residual back: too rare to be asked for. */
    fit_carry_up(&kind->fit, counter->root, carry);
    return true;
}

noinline void exact_add_slow(const struct exact_kind *kind, uint64_t width, int64_t amount,
                             struct exact_counter *counter)
{
    bool small = (uint64_t)amount + EXACT_LARGE <= 2 * EXACT_LARGE;

    if (unlikely(!small) || unlikely(!width))
        atomic_fetch_add_explicit(exact_side(counter), amount, memory_order_relaxed);
    else if (unlikely(!exact_add_leaf(kind, counter, amount)))
        exact_add_slow(kind, width, amount, counter);
}

/* All leaves, once each: sum of C * batch + r, right in its low bits (I3). */
static uint64_t exact_leaves(const char *leaf, const struct exact_kind *kind)
{
    const char *end = leaf + (size_t)kind->fit.shape.nr_cpus * PERCPU_STRIDE_BYTES;
    uint64_t words = 0, residuals = 0;

    do {
        uint32_t word = __atomic_load_n((const uint32_t *)leaf, __ATOMIC_RELAXED);

        words += word;
        residuals += (uint64_t)exact_residual(word);
        leaf += PERCPU_STRIDE_BYTES;
    } while (leaf != end);
    return ((words - residuals) >> EXACT_RESIDUAL_BITS << kind->batch_bits) + residuals;
}

/* `value` is right modulo 2^(64 - high_bits); the one so nearest to `about`. */
static uint64_t exact_nearest(uint64_t value, uint64_t about, uint32_t high_bits)
{
    return about + (uint64_t)((int64_t)((value - about) << high_bits) >> high_bits);
}

int64_t exact_sum(struct exact_counter *counter, const struct exact_kind *kind)
{
    _Atomic int64_t *const roots = counter->root;
    const char *first_leaf = percpu_at(counter->area, 0);
    unsigned long state = spin_lock_irqsave(&counter->sums);
    uint64_t side, root, leaves;

    atomic_exchange_explicit(&counter->width, 0, memory_order_seq_cst);              /* G */
    side = (uint64_t)atomic_load_explicit(&roots[TREE_LANES], memory_order_seq_cst); /* R */
    root = (uint64_t)tree_root(roots);
    leaves = exact_leaves(first_leaf, kind);
    atomic_store_explicit(&counter->width, kind->width, memory_order_release);
    spin_unlock_irqrestore(&counter->sums, state);
    return (int64_t)(side + exact_nearest(leaves, root, kind->high_bits));
}

void exact_set(struct exact_counter *counter, const struct exact_kind *kind, int64_t value)
{
    for (uint32_t cpu = 0; cpu < kind->fit.shape.nr_cpus; cpu++)
        __atomic_store_n((int32_t *)percpu_at(counter->area, cpu), 0, __ATOMIC_RELAXED);
    fit_items_set(&kind->fit.shape, counter->root, 0);
    atomic_store_explicit(exact_side(counter), value, memory_order_relaxed);
}

int exact_compare(struct exact_counter *counter, const struct exact_kind *kind, int64_t value)
{
    uint64_t bound = fit_error_bound(&kind->fit.shape);
    int order = counter_order_within(exact_read(counter), value, bound);

    return order ? order : counter_order(exact_sum(counter, kind), value);
}
