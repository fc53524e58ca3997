/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the slab allocator share.
 *
 *   front (each CPU)   | count | object | object | … |        last freed first
 *                          ^ half an array at once v
 *   cache              partial: slab <-> slab <-> …           a slab: 2^order pages of objects
 *
 * S1. An object is live, or in one front, or in its slab's free list.
 * S2. page->used of a slab's first page counts its objects that are not in its free list.
 * S3. A slab is in `partial` unless all its objects are used. Of the unused ones EMPTY_KEPT stay.
 * S4. Every page of a slab has PAGE_SLAB, owner = the cache, private[1] = its first page; the first
 *     one has private[0] = the free list.
 *
 * Lock order: cache lock, no other inside: pages are fetched and given back without it.
 */
#ifndef CORE_SLAB_INTERNAL_H
#define CORE_SLAB_INTERNAL_H

#include "core/list.h"
#include "core/pages.h"
#include "core/percpu.h"
#include "core/slab.h"
#include "core/spinlock.h"

#define SLAB_FRONT_MAX 31u

struct slab_front {
    uint32_t count;
    void *object[]; /* front_max of them */
};

struct slab_cache {
    /* Read by every pair, written at creation. Without a front of its own (per-CPU areas do not
     * work yet, or there was no memory) a cache has one that is empty and full: front_max is 0. */
    percpu_area_t front;
    uint32_t front_max;
    uint32_t bytes, stride, align;
    uint32_t order, per_slab;
    const char *name;
    struct list all_link;

    struct spinlock lock cacheline_aligned;
    uint32_t empty_slabs;
    struct list partial;
    uint64_t slabs, lock_holds;
    uint64_t taken; /* objects that are in no slab's free list */
};

/* Several objects between the slabs and an array. Take returns how many there were (it grows the
 * cache by one slab when there is none). Interrupts masked, no lock held. */
unsigned slab_take_objects(struct slab_cache *cache, void **objects, unsigned count);
void slab_give_objects(struct slab_cache *cache, void **objects, unsigned count);
/* Gives back the empty slabs that are kept. */
void slab_release_empty(struct slab_cache *cache);

/* Fills in size, layout and lock; no memory is touched. */
void slab_cache_setup(struct slab_cache *cache, const char *name, size_t bytes, size_t align);
bool slab_front_create(struct slab_cache *cache);
/* The cache that caches come from: first part of slab_init(). */
void slab_caches_init(void);

/* --- debug builds: |object … |red zone to the state|state| --- */

#define SLAB_DEBUG_BYTES (CORESTORM_DEBUG ? 16u : 0u)

void slab_debug_new(const struct slab_cache *cache, void *object);
void slab_debug_alloc(const struct slab_cache *cache, void *object);
/* False: refused, it is no live object of the cache. */
bool slab_debug_free(const struct slab_cache *cache, void *object);

static inline struct page *slab_head_of(const void *object)
{
    return (struct page *)virt_to_page(object)->private[1];
}

#endif
