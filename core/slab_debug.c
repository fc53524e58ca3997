/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug builds of the slab allocator: freed objects are poisoned, live ones have a red zone behind
 * them, and the last 8 bytes of the place say which of the two it is.
 */
#include "core/memory_bug.h"
#include "core/slab_internal.h"
#include "core/string.h"

#define POISON_BYTE 0x6b
#define REDZONE_BYTE 0xbb
#define STATE_FREE 0x66726565206f626aull /* "free obj" */
#define STATE_LIVE 0x6c697665206f626aull /* "live obj" */
#define LINK_BYTES sizeof(void *)        /* the free list's, in front of the poison */

static uint64_t *state_of(const struct slab_cache *cache, void *object)
{
    return (uint64_t *)((char *)object + cache->stride - sizeof(uint64_t));
}

static bool bytes_are(const void *from, size_t bytes, unsigned char byte)
{
    const unsigned char *p = from;

    for (size_t i = 0; i < bytes; i++)
        if (p[i] != byte)
            return false;
    return true;
}

/* Behind the object, and behind the free list's link where the object is smaller. */
static char *redzone_of(const struct slab_cache *cache, void *object)
{
    return (char *)object + MAX(cache->bytes, LINK_BYTES);
}

static size_t redzone_bytes(const struct slab_cache *cache)
{
    return cache->stride - sizeof(uint64_t) - MAX(cache->bytes, LINK_BYTES);
}

void slab_debug_new(const struct slab_cache *cache, void *object)
{
    memset(object, POISON_BYTE, cache->bytes);
    memset(redzone_of(cache, object), REDZONE_BYTE, redzone_bytes(cache));
    *state_of(cache, object) = STATE_FREE;
}

void slab_debug_alloc(const struct slab_cache *cache, void *object)
{
    size_t checked = cache->bytes > LINK_BYTES ? cache->bytes - LINK_BYTES : 0;

    if (*state_of(cache, object) != STATE_FREE ||
        !bytes_are((char *)object + LINK_BYTES, checked, POISON_BYTE))
        memory_bug(cache->name, "write to a freed object", (uintptr_t)object);
    if (cache->bytes < LINK_BYTES) /* the link lay in the red zone */
        memset((char *)object + cache->bytes, REDZONE_BYTE, LINK_BYTES - cache->bytes);
    *state_of(cache, object) = STATE_LIVE;
}

bool slab_debug_free(const struct slab_cache *cache, void *object)
{
    const struct page *page = virt_to_page(object);
    size_t at;

    if (!(page_flags(page) & PAGE_SLAB) || page->owner != cache) {
        memory_bug(cache->name, "free of a foreign object", (uintptr_t)object);
        return false;
    }
    at = (size_t)((char *)object - (char *)page_to_virt(slab_head_of(object)));
    if (at % cache->stride || at / cache->stride >= cache->per_slab) {
        memory_bug(cache->name, "free of the middle of an object", (uintptr_t)object);
        return false;
    }
    if (*state_of(cache, object) == STATE_FREE) {
        memory_bug(cache->name, "double free of an object", (uintptr_t)object);
        return false;
    }
    if (*state_of(cache, object) != STATE_LIVE ||
        !bytes_are(redzone_of(cache, object), redzone_bytes(cache), REDZONE_BYTE))
        memory_bug(cache->name, "overrun of an object", (uintptr_t)object);
    slab_debug_new(cache, object);
    return true;
}
