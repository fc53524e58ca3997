/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "memory": what the 4 counters of an mm take (facts F2), measured from the allocators, not
 * from what the design intends: so many objects are made, and what the per-CPU areas and the slab
 * caches hold more than before is divided by their number.
 *
 *   mm=single     a process of one thread: lazy designs have not been activated
 *   mm=threaded   a second thread has joined
 *
 * Values, for each mm:
 *   B/mm      all of it, slab objects with their share of the slab: the mm object (as large as the
 *             field's before its CPU masks, bench/mm_model.h), per-CPU memory, items
 *   above-B   per-CPU and item bytes as they were asked for, the mm object left out
 *   percpu-B  the per-CPU part of it, times the CPUs; items-B the rest
 *   stated-B  what the design says that above-B is
 *   pages-B   pages that left the page allocator, lists and rounding of all kinds included
 *
 * I1. Whatever init and activation took is back after destruction: else the run fails.
 * I2. A design does not understate itself: above-B is at most stated-B, with what the general sizes
 *     of slab objects (powers of two and 1.5 x) round it up to.
 */
#include "bench/counter_table.h"
#include "bench/mm_model.h"
#include "bench/storm.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/percpu_area.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/design.h"

#define MEMORY_OBJECTS 1000u
#define MEMORY_PART 8u /* of the free memory, at most so much */

struct memory_taken {
    uint64_t percpu, slab, slab_cost, pages;
};

struct memory_shared {
    struct slab_cache *mms;
    void **objects;
    uint32_t nr_objects;
    struct memory_taken of_all; /* of the last sample */
};

static size_t memory_counters_at(void)
{
    return ALIGN_UP(sizeof(struct mm), this_design.counter_align);
}

static uint32_t memory_objects(void)
{
    uint64_t each = sizeof(struct mm) + COUNTERS_PER_MM * this_design.counter_bytes +
                    2 * this_design.memory_bytes(nr_cpus, COUNTERS_PER_MM);
    struct pages_stats stats;

    pages_stats(&stats);
    return (uint32_t)MAX(
        MIN((stats.free_pages << ARCH_PAGE_SHIFT) / MEMORY_PART / each, (uint64_t)MEMORY_OBJECTS),
        1ull);
}

static int memory_setup(struct storm_run *run)
{
    struct memory_shared *shared = kzalloc(sizeof(*shared));
    size_t bytes = memory_counters_at() + COUNTERS_PER_MM * this_design.counter_bytes;

    if (!shared)
        return -CS_ENOMEM;
    shared->nr_objects = memory_objects();
    shared->objects = kzalloc(shared->nr_objects * sizeof(shared->objects[0]));
    shared->mms = slab_cache_create("memory storm mm", bytes, CACHE_LINE_BYTES, SLAB_HWCACHE_ALIGN);
    if (!shared->objects || !shared->mms) {
        if (shared->mms)
            (void)slab_cache_destroy(shared->mms);
        kfree(shared->objects);
        kfree(shared);
        return -CS_ENOMEM;
    }
    run->shared = shared;
    return 0;
}

static struct memory_taken memory_now(void)
{
    struct percpu_stats areas;
    struct slab_totals slabs;
    struct pages_stats pages;

    percpu_area_stats(&areas);
    slab_totals(&slabs);
    pages_stats(&pages);
    return (struct memory_taken){
        .percpu = (areas.bytes_live - areas.areas_live * PERCPU_REDZONE_BYTES) * nr_cpus,
        .slab = slabs.object_bytes,
        .slab_cost = slabs.cost_bytes,
        .pages = pages.total_pages - pages.free_pages - pages.pcp_pages};
}

static struct memory_taken memory_difference(struct memory_taken now, struct memory_taken before)
{
    return (struct memory_taken){now.percpu - before.percpu, now.slab - before.slab,
                                 now.slab_cost - before.slab_cost, now.pages - before.pages};
}

static void *memory_counters(void *object)
{
    return (char *)object + memory_counters_at();
}

static int memory_make_one(struct memory_shared *shared, uint32_t i, bool threaded)
{
    void *object = slab_alloc(shared->mms, SLAB_ZERO);
    int error;

    if (!object)
        return -CS_ENOMEM;
    error = this_design.init_many(memory_counters(object), 0, COUNTERS_PER_MM);
    if (!error && threaded) {
        error = counter_activate(&this_design, memory_counters(object), COUNTERS_PER_MM);
        if (error)
            this_design.destroy_many(memory_counters(object), COUNTERS_PER_MM);
    }
    if (error)
        slab_free(shared->mms, object);
    else
        shared->objects[i] = object;
    return error;
}

static void memory_free_all(struct memory_shared *shared)
{
    for (uint32_t i = 0; i < shared->nr_objects && shared->objects[i]; i++) {
        this_design.destroy_many(memory_counters(shared->objects[i]), COUNTERS_PER_MM);
        slab_free(shared->mms, shared->objects[i]);
        shared->objects[i] = NULL;
    }
}

static int memory_measure(struct storm_run *run)
{
    struct memory_shared *shared = run->shared;
    struct memory_taken before = memory_now(), left;
    int error = 0;

    for (uint32_t i = 0; !error && i < shared->nr_objects; i++)
        error = memory_make_one(shared, i, run->cs->arg[0]);
    shared->of_all = memory_difference(memory_now(), before);
    memory_free_all(shared);
    left = memory_difference(memory_now(), before);
    if (left.percpu || left.slab) {
        log_warn("memory/%s: %lld per-CPU and %lld slab bytes were not given back",
                 this_design.name, (long long)left.percpu, (long long)left.slab);
        return -CS_EIO;
    }
    return error;
}

static int64_t memory_milli(const struct memory_shared *shared, uint64_t bytes_of_all)
{
    return (int64_t)(bytes_of_all * 1000 / shared->nr_objects);
}

static unsigned memory_metrics(struct storm_run *run, struct storm_metric out[STORM_METRICS_MAX])
{
    const struct memory_shared *shared = run->shared;
    const struct memory_taken *all = &shared->of_all;
    struct slab_stats mm;
    bool active = run->cs->arg[0] || !this_design.activate;
    uint64_t items;

    slab_stats(shared->mms, &mm);
    items = all->slab - mm.object_bytes * shared->nr_objects;
    out[0] = (struct storm_metric){"B/mm", memory_milli(shared, all->percpu + all->slab_cost)};
    out[1] = (struct storm_metric){"above-B", memory_milli(shared, all->percpu + items)};
    out[2] = (struct storm_metric){"percpu-B", memory_milli(shared, all->percpu)};
    out[3] = (struct storm_metric){"items-B", memory_milli(shared, items)};
    out[4] = (struct storm_metric){
        "stated-B",
        active ? (int64_t)this_design.memory_bytes(nr_cpus, COUNTERS_PER_MM) * 1000 : 0};
    out[5] = (struct storm_metric){"pages-B", memory_milli(shared, all->pages << ARCH_PAGE_SHIFT)};
    return 6;
}

/* I2, once: the samples differ in nothing that matters. */
static bool memory_is_understated(struct storm_run *run)
{
    struct storm_metric metrics[STORM_METRICS_MAX];

    memory_metrics(run, metrics);
    if (metrics[1].milli <= metrics[4].milli / 2 * 3 + 16000)
        return false;
    log_warn("memory/%s: takes %lld B for an mm, says %lld", this_design.name,
             (long long)metrics[1].milli / 1000, (long long)metrics[4].milli / 1000);
    return true;
}

static int memory_teardown(struct storm_run *run)
{
    struct memory_shared *shared = run->shared;
    bool wrong = memory_is_understated(run);

    wrong |= slab_cache_destroy(shared->mms) != 0;
    kfree(shared->objects);
    kfree(shared);
    return wrong ? -CS_EIO : 0;
}

static const struct storm_case memory_cases[] = {
    {.name = "mm=single",
     .arg = {0},
     .all_cpus_only = true,
     .in_quick = true,
     .published = "per-mm",
     .published_variant = "flat=flat,tree-lazy=lazy-single"},
    {.name = "mm=threaded",
     .arg = {1},
     .all_cpus_only = true,
     .in_quick = true,
     .published = "per-mm",
     .published_variant = "flat=flat,tree=tree-threaded,tree-lazy=tree-threaded"},
};

static const struct storm memory_storm = {
    .name = "memory",
    .counter = &this_design,
    .compare_with = "flat",
    .summary = "bytes that the 4 counters of an mm take, measured from the allocators",
    .cases = memory_cases,
    .nr_cases = ARRAY_LEN(memory_cases),
    .rank = 28,
    .setup = memory_setup,
    .measure = memory_measure,
    .unit = "B/mm",
    .samples_max = 3,
    .teardown = memory_teardown,
    .metrics = memory_metrics,
    .report = counter_table_report,
    .published_bench = "memory",
};
STORM(memory_storm);
