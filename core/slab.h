/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slab caches: objects of one size, with alignment, a per-CPU front and a list of partly used
 * slabs behind it under the cache's lock.
 *
 * Fast pair: alloc pops and free pushes on this CPU's array (its line, and the object's own).
 * Overflow moves half an array at once. Debug builds poison freed objects and catch double free,
 * foreign pointers and overruns (a red zone behind the object), naming cache and address.
 */
#ifndef CORE_SLAB_H
#define CORE_SLAB_H

#include "core/compiler.h"

struct slab_cache;

#define SLAB_HWCACHE_ALIGN 1u /* align to the cache line */
#define SLAB_ZERO 1u          /* flags of slab_alloc: zeroed */

/* `name` stays the caller's. align: power of two, 0 for 8. NULL on -ENOMEM. Sizes up to 32 KiB. */
struct slab_cache *slab_cache_create(const char *name, size_t bytes, size_t align,
                                     unsigned flags) must_check;
/* All objects must have been freed; says how many were not (leak check), frees what it can. */
uint64_t slab_cache_destroy(struct slab_cache *cache);

void *slab_alloc(struct slab_cache *cache, unsigned flags) must_check;
void slab_free(struct slab_cache *cache, void *object);

/* General sizes, over caches of 16 … 32768 bytes (powers of two and 1.5×) and pages beyond.
 * Aligned to 16, and to the line for sizes of a line or more. */
void *kmalloc(size_t bytes) must_check;
void *kzalloc(size_t bytes) must_check;
void kfree(void *object);

void slab_init(void);
/* Whether kmalloc works. */
bool slab_is_ready(void);
/* Per-CPU arrays become available once per-CPU areas work. */
void slab_init_percpu(void);

struct slab_stats {
    uint64_t objects_live, object_bytes, slab_pages, lock_holds;
};
void slab_stats(const struct slab_cache *cache, struct slab_stats *out);
/* Of all caches together: bytes of the live objects, and with each one's share of its slab. Walks
 * all caches and their fronts; exact while nobody allocates. Context: any CPU. */
struct slab_totals {
    uint64_t object_bytes, cost_bytes;
};
void slab_totals(struct slab_totals *out);
/* The cache whose object holds `address` (in the direct map), and where in the object. False: none. */
bool slab_name_of(const void *address, const char **cache, size_t *offset);
/* Bytes that one live object costs, its share of the slab included (rounded up). */
size_t slab_cost_bytes(const struct slab_cache *cache);

#endif
