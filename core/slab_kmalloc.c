/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmalloc: general sizes over slab caches of powers of two and 1.5 times those, pages beyond.
 *
 * 24 and 96 are missing: aligned to 16 and to the line they would cost as much as 32 and 128.
 */
#include "core/log.h"
#include "core/memory_bug.h"
#include "core/panic.h"
#include "core/slab_internal.h"
#include "core/string.h"

#define KMALLOC_MIN_ALIGN 16u
#define KMALLOC_MAX_BYTES (32u << 10)

static const struct {
    uint32_t bytes;
    const char *name;
} kmalloc_size[] = {
    {16, "kmalloc-16"},     {32, "kmalloc-32"},     {48, "kmalloc-48"},     {64, "kmalloc-64"},
    {128, "kmalloc-128"},   {192, "kmalloc-192"},   {256, "kmalloc-256"},   {384, "kmalloc-384"},
    {512, "kmalloc-512"},   {768, "kmalloc-768"},   {1024, "kmalloc-1k"},   {1536, "kmalloc-1536"},
    {2048, "kmalloc-2k"},   {3072, "kmalloc-3k"},   {4096, "kmalloc-4k"},   {6144, "kmalloc-6k"},
    {8192, "kmalloc-8k"},   {12288, "kmalloc-12k"}, {16384, "kmalloc-16k"}, {24576, "kmalloc-24k"},
    {32768, "kmalloc-32k"},
};

static struct slab_cache kmalloc_cache[ARRAY_LEN(kmalloc_size)];
/* By 2 × log2 of the size's power of two, + 1 for the upper half of it: the cache that fits. */
static struct slab_cache *kmalloc_by_class[32];
static bool kmalloc_ready;
/* The owner of pages that kmalloc took without a cache. */
static const char kmalloc_pages_owner[] = "kmalloc pages";

static inline unsigned class_of(size_t bytes)
{
    unsigned log2;

    if (bytes <= 16)
        return 2 * 4;
    log2 = 63u - (unsigned)__builtin_clzll(bytes - 1); /* 2^log2 < bytes <= 2^(log2+1) */
    return 2 * (log2 + 1) - (bytes <= (3ull << (log2 - 1)));
}

void slab_init(void)
{
    unsigned cache = 0;

    slab_caches_init();
    for (unsigned i = 0; i < ARRAY_LEN(kmalloc_size); i++) {
        uint32_t bytes = kmalloc_size[i].bytes;

        slab_cache_setup(&kmalloc_cache[i], kmalloc_size[i].name, bytes,
                         bytes < CACHE_LINE_BYTES ? KMALLOC_MIN_ALIGN : CACHE_LINE_BYTES);
    }
    for (unsigned class = class_of(1); class <= class_of(KMALLOC_MAX_BYTES); class ++) {
        uint32_t largest = class % 2 ? 3u << (class / 2 - 1) : 1u << (class / 2);

        while (kmalloc_size[cache].bytes < largest)
            cache++;
        kmalloc_by_class[class] = &kmalloc_cache[cache];
    }
    kmalloc_ready = true;
}

bool slab_is_ready(void)
{
    return kmalloc_ready;
}

static noinline void *kmalloc_pages(size_t bytes, unsigned flags)
{
    unsigned order = 0;
    struct page *page;

    while ((size_t)ARCH_PAGE_BYTES << order < bytes)
        if (++order > PAGE_MAX_ORDER)
            return NULL;
    page = page_alloc(order, flags);
    if (!page)
        return NULL;
    page->owner = (void *)kmalloc_pages_owner;
    return page_to_virt(page);
}

void *kmalloc(size_t bytes)
{
    if (unlikely(bytes > KMALLOC_MAX_BYTES))
        return kmalloc_pages(bytes, 0);
    return slab_alloc(kmalloc_by_class[class_of(bytes)], 0);
}

void *kzalloc(size_t bytes)
{
    if (unlikely(bytes > KMALLOC_MAX_BYTES))
        return kmalloc_pages(bytes, PAGE_ZERO);
    return slab_alloc(kmalloc_by_class[class_of(bytes)], SLAB_ZERO);
}

void kfree(void *object)
{
    struct page *page;

    if (!object)
        return;
    page = virt_to_page(object);
    if (likely(page_flags(page) & PAGE_SLAB)) {
        slab_free(page->owner, object);
    } else if (page->owner == kmalloc_pages_owner) {
        page->owner = NULL;
        page_free(page, page->order);
    } else {
        memory_bug("kfree", "free of a foreign object", (uintptr_t)object);
    }
}
