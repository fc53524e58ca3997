/* SPDX-License-Identifier: Apache-2.0 */
/* The counter tree's life, carries from the leaves, sums; see counters/tree.h. */
#include "counters/tree.h"

#include "core/errno.h"
#include "core/log.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/slab.h"

#define TREE_SLAB_BYTES_MAX (32u * 1024u) /* core/slab.h */

static unsigned tree_line_groups(unsigned nr)
{
    return (nr + TREE_LANES - 1) / TREE_LANES;
}

static size_t tree_lines_bytes(const struct tree_shape *shape, unsigned nr)
{
    return (size_t)tree_line_groups(nr) * shape->nr_positions * sizeof(struct tree_line);
}

uint64_t tree_memory_bytes(const struct tree_shape *shape, unsigned nr)
{
    return tree_lines_bytes(shape, nr) + (uint64_t)shape->nr_cpus * nr;
}

void tree_kind_init(struct tree_kind *kind, const struct tree_shape *shape, const char *name)
{
    size_t bytes = tree_lines_bytes(shape, TREE_LANES);

    kind->shape = *shape;
    kind->lines = NULL;
    if (bytes <= TREE_SLAB_BYTES_MAX)
        kind->lines = slab_cache_create(name, bytes, CACHE_LINE_BYTES, SLAB_HWCACHE_ALIGN);
}

static struct tree_line *tree_lines_alloc(const struct tree_kind *kind, unsigned nr)
{
    if (kind->lines && nr <= TREE_LANES)
        return slab_alloc(kind->lines, SLAB_ZERO);
    return kzalloc(tree_lines_bytes(&kind->shape, nr));
}

static void tree_lines_free(const struct tree_kind *kind, struct tree_line *lines, unsigned nr)
{
    if (kind->lines && nr <= TREE_LANES)
        slab_free(kind->lines, lines);
    else
        kfree(lines);
}

int tree_init_many(struct tree_counter *counters, const struct tree_kind *kind, int64_t amount,
                   unsigned nr)
{
    const size_t slice = percpu_slice_bytes(sizeof(int8_t), 1);
    struct tree_line *lines = tree_lines_alloc(kind, nr);
    percpu_area_t area = lines ? percpu_area_alloc_group(sizeof(int8_t), 1, nr) : 0;

    if (!area) {
        if (lines)
            tree_lines_free(kind, lines, nr);
        counters[0].area = 0;
        return -CS_ENOMEM;
    }
    for (unsigned i = 0; i < nr; i++) {
        struct tree_line *line0 = lines + (size_t)(i / TREE_LANES) * kind->shape.nr_positions;

        counters[i].area = area + i * slice;
        counters[i].root = &line0->item[i % TREE_LANES];
        counters[i].kind = kind;
        atomic_store_explicit(counters[i].root, amount, memory_order_relaxed);
    }
    return 0;
}

void tree_destroy_many(struct tree_counter *counters, unsigned nr)
{
    static _Atomic bool warned;
    percpu_area_t area;

    if (unlikely(!counters)) {
        if (!atomic_exchange_explicit(&warned, true, memory_order_relaxed))
            log_warn("tree_destroy_many: no counters");
        return;
    }
    area = counters[0].area;
    if (!area)
        return;
    /* Lane 0 of line 0 is where the lines begin. */
    tree_lines_free(counters[0].kind, (struct tree_line *)counters[0].root, nr);
    for (unsigned i = 0; i < nr; i++)
        counters[i].area = 0;
    percpu_area_free(area);
}

noinline void tree_add_slow(struct tree_counter *counter, int64_t amount)
{
    const struct tree_shape *shape = &counter->kind->shape;
    const percpu_area_t area = counter->area;
    int8_t residual = this_cpu_read_s8(area), kept;
    int64_t carry;

    do
        kept = tree_leaf_split(residual, amount, shape->batch, &carry);
    while (!this_cpu_try_cmpxchg_s8(area, &residual, kept));
    /* An interrupt may have taken the byte back below the batch: then nothing is carried. */
    if (carry)
        tree_carry(shape, tree_root_of(counter), this_cpu_id(), carry);
}

int64_t tree_precise_sum(struct tree_counter *counter)
{
    const struct tree_shape *shape = &counter->kind->shape;
    const char *leaf = percpu_at(counter->area, 0);
    uint64_t sum = 0;

    for (uint32_t cpus = shape->nr_cpus; cpus > 0; cpus--, leaf += PERCPU_STRIDE_BYTES)
        sum += (uint64_t)(int64_t)__atomic_load_n((const int8_t *)leaf, __ATOMIC_RELAXED);
    return (int64_t)(sum + (uint64_t)tree_items_sum(shape, tree_root_of(counter)));
}

void tree_set(struct tree_counter *counter, int64_t value)
{
    const struct tree_shape *shape = &counter->kind->shape;

    for (uint32_t cpu = 0; cpu < shape->nr_cpus; cpu++)
        __atomic_store_n((int8_t *)percpu_at(counter->area, cpu), 0, __ATOMIC_RELAXED);
    tree_items_set(shape, tree_root_of(counter), value);
}

int tree_compare(struct tree_counter *counter, int64_t value)
{
    uint64_t bound = tree_shape_error_bound(&counter->kind->shape);
    int order = counter_order_within(tree_approximate_sum(counter), value, bound);

    return order ? order : counter_order(tree_precise_sum(counter), value);
}

int tree_compare_with(struct tree_counter *a, struct tree_counter *b)
{
    uint64_t margin =
        tree_shape_error_bound(&a->kind->shape) + tree_shape_error_bound(&b->kind->shape);
    int order = counter_order_within(tree_approximate_sum(a), tree_approximate_sum(b), margin);

    return order ? order : counter_order(tree_precise_sum(a), tree_precise_sum(b));
}

void tree_accuracy_range(const struct tree_counter *counter, uint64_t *under, uint64_t *over)
{
    *under = *over = tree_shape_error_bound(&counter->kind->shape);
}
