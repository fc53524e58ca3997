/* SPDX-License-Identifier: Apache-2.0 */
/* The fitted tree's life, carries from the leaves, sums; see counters/fit.h. */
#include "counters/fit.h"

#include "core/errno.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "counters/compare.h"

int fit_init_many(struct fit_counter *counters, const struct fit_kind *kind, int64_t amount,
                  unsigned nr)
{
    const size_t slice = percpu_slice_bytes(sizeof(int8_t), 1);
    struct tree_line *lines = fit_lines_alloc(kind, nr);
    percpu_area_t area = lines ? percpu_area_alloc_group(sizeof(int8_t), 1, nr) : 0;

    if (!area) {
        if (lines)
            fit_lines_free(kind, lines, nr);
        counters[0].area = 0;
        return -CS_ENOMEM;
    }
    for (unsigned i = 0; i < nr; i++) {
        counters[i].area = area + i * slice;
        counters[i].root = fit_lines_root(kind, lines, i);
        atomic_store_explicit(counters[i].root, amount, memory_order_relaxed);
    }
    return 0;
}

void fit_destroy_many(struct fit_counter *counters, const struct fit_kind *kind, unsigned nr)
{
    struct fit_counter first = counters[0];

    for (unsigned i = 0; i < nr && first.area; i++)
        counters[i].area = 0;
    fit_parts_free(first, kind, nr);
}

void fit_parts_free(struct fit_counter first, const struct fit_kind *kind, unsigned nr)
{
    if (!first.area)
        return;
    fit_lines_free(kind, (struct tree_line *)first.root, nr); /* lane 0 of line 0 */
    percpu_area_free(first.area);
}

noinline void fit_add_slow(struct fit_counter *counter, const struct fit_kind *kind, int64_t amount)
{
    const percpu_area_t area = counter->area;
    int8_t residual = this_cpu_read_s8(area), kept;
    int64_t carry;

    do
        kept = tree_leaf_split(residual, amount, FIT_LEAF_BATCH, &carry);
    while (!this_cpu_try_cmpxchg_s8(area, &residual, kept));
    /* An interrupt may have taken the byte back below the batch: then nothing is carried. */
    if (carry)
        fit_carry_up(kind, counter->root, carry);
}

int64_t fit_sum(struct fit_counter *counter, const struct fit_kind *kind)
{
    const char *leaf = percpu_at(counter->area, 0);
    uint64_t sum = 0;

    for (uint32_t cpus = kind->shape.nr_cpus; cpus > 0; cpus--, leaf += PERCPU_STRIDE_BYTES)
        sum += (uint64_t)(int64_t)__atomic_load_n((const int8_t *)leaf, __ATOMIC_RELAXED);
    return (int64_t)(sum + (uint64_t)fit_items_sum(&kind->shape, counter->root));
}

void fit_set(struct fit_counter *counter, const struct fit_kind *kind, int64_t value)
{
    for (uint32_t cpu = 0; cpu < kind->shape.nr_cpus; cpu++)
        __atomic_store_n((int8_t *)percpu_at(counter->area, cpu), 0, __ATOMIC_RELAXED);
    fit_items_set(&kind->shape, counter->root, value);
}

int fit_compare(struct fit_counter *counter, const struct fit_kind *kind, int64_t value)
{
    int order = counter_order_within(fit_read(counter), value, fit_error_bound(&kind->shape));

    return order ? order : counter_order(fit_sum(counter, kind), value);
}
