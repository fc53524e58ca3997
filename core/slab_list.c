/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slabs of a cache and their free lists (slab_internal.h has the picture and the invariants).
 *
 * Cost: a refill or a spill holds the cache's lock once, and touches the line of each object and of
 * each slab's first struct page that it meets.
 */
#include "core/memory_bug.h"
#include "core/slab_internal.h"

#define EMPTY_KEPT 1u

static void cache_lock(struct slab_cache *cache)
{
    spin_lock(&cache->lock);
    cache->lock_holds++;
}

/* --- one slab; under the cache's lock, or not in a list yet --- */

static void slab_push(struct page *head, void *object)
{
    *(void **)object = (void *)head->private[0];
    head->private[0] = (uintptr_t)object;
}

static void *slab_pop(struct page *head)
{
    void *object = (void *)head->private[0];

    head->private[0] = (uintptr_t) * (void **)object;
    return object;
}

static struct page *slab_create(struct slab_cache *cache)
{
    struct page *head = page_alloc(cache->order, 0);

    if (!head)
        return NULL;
    for (uint32_t i = 0; i < 1u << cache->order; i++) {
        page_set_flags(&head[i], PAGE_SLAB);
        head[i].owner = cache;
        head[i].private[1] = (uintptr_t)head;
    }
    head->private[0] = 0;
    head->used = 0;
    for (uint32_t i = cache->per_slab; i-- > 0;) { /* so that the first object is on top */
        void *object = (char *)page_to_virt(head) + (size_t)i * cache->stride;

        if (CORESTORM_DEBUG)
            slab_debug_new(cache, object);
        slab_push(head, object);
    }
    return head;
}

static void slab_destroy(struct slab_cache *cache, struct page *head)
{
    for (uint32_t i = 0; i < 1u << cache->order; i++) {
        page_set_flags(&head[i], 0);
        head[i].owner = NULL;
    }
    page_free(head, cache->order);
}

/* --- the cache's list; under its lock --- */

static unsigned take_listed(struct slab_cache *cache, void **objects, unsigned count)
{
    unsigned done = 0;

    while (done < count && !list_empty(&cache->partial)) {
        struct page *head = LIST_ENTRY(cache->partial.next, struct page, link);

        cache->empty_slabs -= head->used == 0;
        for (; done < count && head->used < cache->per_slab; head->used++)
            objects[done++] = slab_pop(head);
        if (head->used == cache->per_slab)
            list_del(&head->link);
    }
    cache->taken += done;
    return done;
}

/* Returns the slab when it is to be given back. */
static struct page *give_listed(struct slab_cache *cache, void *object)
{
    struct page *head = slab_head_of(object);

    slab_push(head, object);
    cache->taken--;
    if (head->used-- == cache->per_slab)
        list_add(&cache->partial, &head->link);
    if (head->used)
        return NULL;
    list_del(&head->link);
    if (cache->empty_slabs >= EMPTY_KEPT) {
        cache->slabs--;
        return head;
    }
    cache->empty_slabs++;
    list_add_tail(&cache->partial, &head->link); /* last to be used */
    return NULL;
}

/* --- for slab.c --- */

unsigned slab_take_objects(struct slab_cache *cache, void **objects, unsigned count)
{
    struct page *head;
    unsigned done;

    cache_lock(cache);
    done = take_listed(cache, objects, count);
    spin_unlock(&cache->lock);
    if (likely(done))
        return done;

    head = slab_create(cache);
    if (!head)
        return 0;
    cache_lock(cache);
    list_add(&cache->partial, &head->link);
    cache->slabs++;
    cache->empty_slabs++;
    done = take_listed(cache, objects, count);
    spin_unlock(&cache->lock);
    return done;
}

void slab_give_objects(struct slab_cache *cache, void **objects, unsigned count)
{
    struct page *empty = NULL, *head;
    void *foreign = NULL;

    cache_lock(cache);
    for (unsigned i = 0; i < count; i++) {
        if (unlikely(virt_to_page(objects[i])->owner != cache)) {
            foreign = objects[i];
            continue;
        }
        head = give_listed(cache, objects[i]);
        if (head) {
            head->link.next = (struct list *)empty;
            empty = head;
        }
    }
    spin_unlock(&cache->lock);
    while (empty) {
        head = empty;
        empty = (struct page *)head->link.next;
        slab_destroy(cache, head);
    }
    if (unlikely(foreign))
        memory_bug(cache->name, "free of a foreign object", (uintptr_t)foreign);
}

void slab_release_empty(struct slab_cache *cache)
{
    struct list *l, *next;

    for (l = cache->partial.next; l != &cache->partial; l = next) {
        struct page *head = LIST_ENTRY(l, struct page, link);

        next = l->next;
        if (head->used)
            continue;
        list_del(l);
        cache->empty_slabs--;
        cache->slabs--;
        slab_destroy(cache, head);
    }
}
