/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocators: CPUs take objects, write into them, pass them on, and give back what others took.
 * No object is given to two, what was written is found, per-CPU areas come zeroed on every CPU.
 * Sizes are such that fronts and slabs run full and empty all the time.
 */
#include <stdatomic.h>

#include "arch/sim/explore/scenario.h"
#include "core/compiler.h"
#include "core/pages.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/slab.h"
#include "core/topology.h"

#define PARTS 3u
#define ROUNDS 5u
#define HELD 2u
#define LIVE_MAX (PARTS * ROUNDS)
#define OBJECT_BYTES 8192u /* fronts of 3 objects, slabs of 4 */
#define AREA_BYTES 64u

struct allocator {
    const char *name;
    uintptr_t (*take)(void); /* 0: no memory */
    void (*give)(uintptr_t object);
    uint64_t *(*word)(uintptr_t object); /* to write into */
};

static const struct allocator *allocator;
static struct slab_cache *cache;
static _Atomic uintptr_t mailbox;
static EXPLORE_GHOST uintptr_t live[LIVE_MAX];
static EXPLORE_GHOST uint32_t nr_live;

static uintptr_t slab_take(void)
{
    return (uintptr_t)slab_alloc(cache, 0);
}

static void slab_give(uintptr_t object)
{
    slab_free(cache, (void *)object);
}

static uint64_t *object_word(uintptr_t object)
{
    return (uint64_t *)object;
}

/* Of order 1: past the per-CPU lists, so that blocks are split and merged. */
static uintptr_t page_take(void)
{
    return (uintptr_t)page_alloc(1, 0);
}

static void page_give(uintptr_t object)
{
    page_free((struct page *)object, 1);
}

static uint64_t *page_word(uintptr_t object)
{
    return page_to_virt((struct page *)object);
}

static uintptr_t area_take(void)
{
    percpu_area_t area = percpu_area_alloc(AREA_BYTES, sizeof(uint64_t));

    for (uint32_t cpu = 0; area && cpu < nr_cpus; cpu++)
        EXPLORE_CHECK(*(uint64_t *)percpu_at(area, cpu) == 0, "an area is not zero on CPU %u", cpu);
    return area;
}

static void area_give(uintptr_t object)
{
    percpu_area_free(object);
}

static uint64_t *area_word(uintptr_t object)
{
    return percpu_at(object, 0);
}

static const struct allocator allocators[] = {
    {"slab", slab_take, slab_give, object_word},
    {"page", page_take, page_give, page_word},
    {"area", area_take, area_give, area_word},
};

static const char *allocator_name(uint32_t variant)
{
    return variant < ARRAY_LEN(allocators) ? allocators[variant].name : NULL;
}

static void allocators_begin(uint32_t variant)
{
    allocator = &allocators[variant];
    cache = slab_cache_create("explored", OBJECT_BYTES, 0, 0);
    EXPLORE_CHECK(cache != NULL, "no memory");
}

static uintptr_t take(void)
{
    uintptr_t object = allocator->take();

    EXPLORE_CHECK(object, "no memory");
    for (uint32_t i = 0; i < nr_live; i++)
        EXPLORE_CHECK(live[i] != object, "%#lx is given to two", (unsigned long)object);
    live[nr_live++] = object;
    *allocator->word(object) = object;
    return object;
}

static void give(uintptr_t object)
{
    uint64_t found = *allocator->word(object);

    EXPLORE_CHECK(found == object, "%#lx has lost what was written into it: %#llx",
                  (unsigned long)object, (unsigned long long)found);
    for (uint32_t i = 0; i < nr_live; i++)
        if (live[i] == object)
            live[i] = live[--nr_live];
    allocator->give(object);
}

static void allocators_part(uint32_t i)
{
    uintptr_t held[HELD] = {0};

    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t at = explore_random(HELD);

        if (!held[at])
            held[at] = take();
        /* Release and acquire: what is written into the objects goes with them. */
        if (explore_random(2))
            held[at] = atomic_exchange_explicit(&mailbox, held[at], memory_order_acq_rel);
        if (held[at] && explore_random(2)) {
            give(held[at]);
            held[at] = 0;
        }
    }
    for (uint32_t at = 0; at < HELD; at++)
        if (held[at])
            give(held[at]);
}

static const struct explore_scenario allocators_scenario = {
    .name = "allocator",
    .summary = "objects are taken, passed on and given back",
    .cpus = PARTS,
    .variant = allocator_name,
    .begin = allocators_begin,
    .part = allocators_part,
};
EXPLORE_SCENARIO(allocators_scenario);
