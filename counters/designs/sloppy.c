/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU only: an add is one instruction on the CPU's own 64-bit part, and every read sums over
 * all CPUs. No lock, no shared line that is written; what is cheapest to add and dearest to read.
 *
 * I1. At rest: total = base + sum of the parts, modulo 2^64. `base` changes in init and set alone.
 *
 * Memory order: relaxed; a sum beside updates has each of them or not, part by part, in no order.
 */
#include "core/errno.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/topology.h"
#include "counters/compare.h"
#include "counters/design.h"

struct sloppy_counter {
    percpu_area_t area; /* uint64_t on every CPU; 0 = not initialised */
    int64_t base;
};

static int sloppy_init_many(void *array, int64_t amount, unsigned nr)
{
    struct sloppy_counter *counters = array;
    const size_t slice = percpu_slice_bytes(sizeof(uint64_t), _Alignof(uint64_t));
    percpu_area_t area = percpu_area_alloc_group(sizeof(uint64_t), _Alignof(uint64_t), nr);

    if (!area) {
        counters[0].area = 0;
        return -CS_ENOMEM;
    }
    for (unsigned i = 0; i < nr; i++)
        counters[i] = (struct sloppy_counter){.area = area + i * slice, .base = amount};
    return 0;
}

static void sloppy_destroy_many(void *array, unsigned nr)
{
    struct sloppy_counter *counters = array;

    percpu_area_free(counters[0].area);
    for (unsigned i = 0; i < nr; i++)
        counters[i].area = 0;
}

static always_inline void sloppy_add(void *counter, int64_t amount)
{
    this_cpu_add_u64(((struct sloppy_counter *)counter)->area, (uint64_t)amount);
}

static int64_t sloppy_sum(void *counter)
{
    const struct sloppy_counter *c = counter;
    uint64_t sum = (uint64_t)c->base;

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        sum += __atomic_load_n((uint64_t *)percpu_at(c->area, cpu), __ATOMIC_RELAXED);
    return (int64_t)sum;
}

static void sloppy_set(void *counter, int64_t value)
{
    struct sloppy_counter *c = counter;

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        __atomic_store_n((uint64_t *)percpu_at(c->area, cpu), 0, __ATOMIC_RELAXED);
    c->base = value;
}

static int sloppy_compare(void *counter, int64_t value)
{
    return counter_order(sloppy_sum(counter), value);
}

static uint64_t sloppy_error_bound(uint32_t cpus)
{
    (void)cpus;
    return 0;
}

static uint64_t sloppy_memory_bytes(uint32_t cpus, unsigned nr)
{
    return (uint64_t)cpus * nr * sizeof(uint64_t);
}

COUNTER_DESIGN("sloppy", .summary = "per-CPU words only, summed at each read",
               .counter_bytes = sizeof(struct sloppy_counter),
               .counter_align = _Alignof(struct sloppy_counter), .init_many = sloppy_init_many,
               .destroy_many = sloppy_destroy_many, .add = sloppy_add, .read = sloppy_sum,
               .sum = sloppy_sum, .set = sloppy_set, .compare = sloppy_compare,
               .error_bound = sloppy_error_bound, .memory_bytes = sloppy_memory_bytes);
