/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slab caches: the fast pair, creation and destruction (slab_internal.h has the picture and the
 * invariants).
 *
 * A cache created before per-CPU areas work has no front yet; slab_init_percpu() gives it one.
 * Fronts come from the per-CPU area allocator, whose metadata come from kmalloc: there is no
 * circle, since only the creation of a cache allocates an area.
 */
#include "core/slab.h"

#include "core/memory_bug.h"
#include "core/percpu_area.h"
#include "core/selftest.h"
#include "core/slab_internal.h"
#include "core/string.h"
#include "core/topology.h"

#define SLAB_MAX_BYTES (32u << 10)
#define SLAB_MAX_ORDER 3u /* 32 KiB, as in the field */
#define SLAB_MIN_OBJECTS 8u

LOCK_CLASS(slab_class, "slab cache");         /* pages are fetched outside it */
LOCK_CLASS(slab_caches_class, "slab caches"); /* nothing inside */
static SPINLOCK_STATIC(slab_caches_lock, slab_caches_class);

static struct slab_cache cache_of_caches;
static struct list slab_caches = LIST_INIT(slab_caches);
static bool slab_fronts_ready;
static PERCPU_STATIC uint32_t slab_no_front_percpu; /* the count of a front that holds nothing */

/* --- layout --- */

/* The smallest order that wastes at most 1/fraction of a slab. */
static bool choose_order(struct slab_cache *cache, uint32_t fraction)
{
    for (uint32_t order = 0; order <= SLAB_MAX_ORDER; order++) {
        uint32_t bytes = ARCH_PAGE_BYTES << order, objects = bytes / cache->stride;

        if (!objects || (objects < SLAB_MIN_OBJECTS && order < SLAB_MAX_ORDER))
            continue;
        cache->order = order;
        cache->per_slab = objects;
        if ((bytes - objects * cache->stride) * fraction <= bytes)
            return true;
    }
    return false;
}

static void choose_layout(struct slab_cache *cache)
{
    if (cache->stride > ARCH_PAGE_BYTES << SLAB_MAX_ORDER) { /* a debug build's largest objects */
        cache->order = SLAB_MAX_ORDER + 1;
        cache->per_slab = 1;
    } else if (!choose_order(cache, 16) && !choose_order(cache, 8)) {
        (void)choose_order(cache, 1);
    }
}

static uint32_t front_size(uint32_t stride)
{
    return stride <= 512 ? SLAB_FRONT_MAX : stride <= 4096 ? 15 : 3;
}

void slab_cache_setup(struct slab_cache *cache, const char *name, size_t bytes, size_t align)
{
    unsigned long state;

    align = MAX(align, sizeof(void *));
    *cache = (struct slab_cache){.name = name, .bytes = (uint32_t)bytes, .align = (uint32_t)align};
    cache->stride = (uint32_t)ALIGN_UP(ALIGN_UP(bytes, (size_t)8) + SLAB_DEBUG_BYTES, align);
    cache->front = percpu_area_of(slab_no_front_percpu);
    choose_layout(cache);
    spin_lock_init(&cache->lock, &slab_class);
    list_init(&cache->partial);
    state = spin_lock_irqsave(&slab_caches_lock);
    list_add_tail(&slab_caches, &cache->all_link);
    spin_unlock_irqrestore(&slab_caches_lock, state);
}

bool slab_front_create(struct slab_cache *cache)
{
    uint32_t objects = front_size(cache->stride);
    percpu_area_t front =
        percpu_area_alloc(sizeof(struct slab_front) + objects * sizeof(void *), CACHE_LINE_BYTES);

    if (!front)
        return false;
    cache->front = front;
    cache->front_max = objects;
    return true;
}

/* --- the pair --- */

static void *refill(struct slab_cache *cache, struct slab_front *front)
{
    front->count = slab_take_objects(cache, front->object, (cache->front_max + 1) / 2);
    return front->count ? front->object[--front->count] : NULL;
}

/* Everything but the pair that is measured. */
static noinline void *alloc_slow(struct slab_cache *cache, unsigned flags)
{
    unsigned long state;
    struct slab_front *front;
    void *object = NULL;

    if (fail_injection_hit())
        return NULL;
    state = irq_save();
    if (!cache->front_max) {
        (void)!slab_take_objects(cache, &object, 1);
    } else {
        front = percpu_here(cache->front);
        object = front->count ? front->object[--front->count] : refill(cache, front);
    }
    irq_restore(state);
    if (!object)
        return NULL;
    if (CORESTORM_DEBUG)
        slab_debug_alloc(cache, object);
    if (flags & SLAB_ZERO)
        memset(object, 0, cache->bytes);
    return object;
}

void *slab_alloc(struct slab_cache *cache, unsigned flags)
{
    struct slab_front *front;
    unsigned long state;
    void *object;

    if (unlikely(CORESTORM_DEBUG | flags | fail_injection_armed))
        return alloc_slow(cache, flags);
    state = irq_save();
    front = percpu_here(cache->front);
    if (unlikely(!front->count)) {
        irq_restore(state);
        return alloc_slow(cache, flags);
    }
    object = front->object[--front->count];
    irq_restore(state);
    return object;
}

/* The older half goes: it is the colder one. */
static void spill(struct slab_cache *cache, struct slab_front *front)
{
    unsigned half = (cache->front_max + 1) / 2;

    slab_give_objects(cache, front->object, half);
    front->count -= half;
    memmove(front->object, front->object + half, front->count * sizeof(void *));
}

static noinline void free_slow(struct slab_cache *cache, void *object)
{
    unsigned long state;
    struct slab_front *front;

    if (CORESTORM_DEBUG && !slab_debug_free(cache, object))
        return;
    state = irq_save();
    if (!cache->front_max) {
        slab_give_objects(cache, &object, 1);
    } else {
        front = percpu_here(cache->front);
        if (front->count == cache->front_max)
            spill(cache, front);
        front->object[front->count++] = object;
    }
    irq_restore(state);
}

void slab_free(struct slab_cache *cache, void *object)
{
    struct slab_front *front;
    unsigned long state;

    if (CORESTORM_DEBUG) {
        free_slow(cache, object);
        return;
    }
    state = irq_save();
    front = percpu_here(cache->front);
    if (unlikely(front->count == cache->front_max)) {
        irq_restore(state);
        free_slow(cache, object);
        return;
    }
    front->object[front->count++] = object;
    irq_restore(state);
}

/* --- life of a cache --- */

struct slab_cache *slab_cache_create(const char *name, size_t bytes, size_t align, unsigned flags)
{
    struct slab_cache *cache;

    if (flags & SLAB_HWCACHE_ALIGN)
        align = MAX(align, (size_t)CACHE_LINE_BYTES);
    if (!bytes || bytes > SLAB_MAX_BYTES || align > ARCH_PAGE_BYTES || (align & (align - 1))) {
        memory_bug(name, "impossible size or alignment of a slab cache", bytes);
        return NULL;
    }
    cache = slab_alloc(&cache_of_caches, 0);
    if (!cache)
        return NULL;
    slab_cache_setup(cache, name, bytes, align);
    if (slab_fronts_ready && !slab_front_create(cache)) {
        (void)slab_cache_destroy(cache);
        return NULL;
    }
    return cache;
}

static void empty_fronts(struct slab_cache *cache)
{
    unsigned long state = irq_save();

    for (uint32_t cpu = 0; cache->front_max && cpu < nr_cpus; cpu++) {
        struct slab_front *front = percpu_at(cache->front, cpu);

        slab_give_objects(cache, front->object, front->count);
        front->count = 0;
    }
    irq_restore(state);
    if (cache->front_max)
        percpu_area_free(cache->front);
    cache->front = percpu_area_of(slab_no_front_percpu);
    cache->front_max = 0;
}

uint64_t slab_cache_destroy(struct slab_cache *cache)
{
    uint64_t leaked;
    unsigned long state;

    empty_fronts(cache);
    slab_release_empty(cache);
    leaked = cache->taken;
    if (leaked) {
        memory_bug(cache->name, "slab cache destroyed with live objects", leaked);
        return leaked; /* the cache stays: its objects' pages name it as their owner */
    }
    state = spin_lock_irqsave(&slab_caches_lock);
    list_del(&cache->all_link);
    spin_unlock_irqrestore(&slab_caches_lock, state);
    slab_free(&cache_of_caches, cache);
    return 0;
}

void slab_caches_init(void)
{
    slab_cache_setup(&cache_of_caches, "slab_cache", sizeof(struct slab_cache), CACHE_LINE_BYTES);
}

void slab_init_percpu(void)
{
    for (struct list *l = slab_caches.next; l != &slab_caches; l = l->next)
        (void)slab_front_create(LIST_ENTRY(l, struct slab_cache, all_link));
    slab_fronts_ready = true;
}

void slab_stats(const struct slab_cache *cache, struct slab_stats *out)
{
    out->objects_live = cache->taken;
    for (uint32_t cpu = 0; cache->front_max && cpu < nr_cpus; cpu++)
        out->objects_live -= ((struct slab_front *)percpu_at(cache->front, cpu))->count;
    out->object_bytes = cache->bytes;
    out->slab_pages = cache->slabs << cache->order;
    out->lock_holds = cache->lock_holds;
}

void slab_totals(struct slab_totals *out)
{
    unsigned long state = spin_lock_irqsave(&slab_caches_lock);

    *out = (struct slab_totals){0};
    for (struct list *l = slab_caches.next; l != &slab_caches; l = l->next) {
        const struct slab_cache *cache = LIST_ENTRY(l, struct slab_cache, all_link);
        struct slab_stats stats;

        slab_stats(cache, &stats);
        out->object_bytes += stats.objects_live * stats.object_bytes;
        out->cost_bytes +=
            stats.objects_live * ((uint64_t)ARCH_PAGE_BYTES << cache->order) / cache->per_slab;
    }
    spin_unlock_irqrestore(&slab_caches_lock, state);
}

size_t slab_cost_bytes(const struct slab_cache *cache)
{
    size_t bytes = (size_t)ARCH_PAGE_BYTES << cache->order;

    return (bytes + cache->per_slab - 1) / cache->per_slab;
}
