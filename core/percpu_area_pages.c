/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: chunks are made and given back, pages populated and depopulated
 * (percpu_area_internal.h has picture, invariants and lock order).
 *
 * All of it under the pages lock, which no allocation takes whose page is there already. The area
 * lock is held for bookkeeping alone: the memory itself is fetched and given back outside it.
 */
#include "core/errno.h"
#include "core/percpu_area_internal.h"

LOCK_CLASS(percpu_pages_class, "percpu area pages"); /* outermost of the allocators */
SPINLOCK_STATIC(percpu_pages_lock, percpu_pages_class);

/* Empty pages (of one unit) are kept up to HIGH, then given back down to LOW: a storm that comes
 * and goes must not map and unmap each time. */
#define PAGES_EMPTY_HIGH 32u
#define PAGES_EMPTY_LOW 16u
#define CHUNKS_EMPTY_KEPT 1u

#define WORDS_BYTES (CHUNK_WORDS * sizeof(struct percpu_word))

static unsigned long area_lock(void)
{
    unsigned long state = spin_lock_irqsave(&percpu_area_lock);

    percpu_allocator.stats.lock_holds++;
    return state;
}

/* --- chunks --- */

static struct percpu_chunk *chunk_create(uint32_t number)
{
    struct percpu_chunk *chunk = percpu_hook_alloc(sizeof(*chunk));

    if (!chunk)
        return NULL;
    chunk->words = percpu_hook_alloc(WORDS_BYTES);
    if (!chunk->words) {
        percpu_hook_free(chunk, sizeof(*chunk));
        return NULL;
    }
    chunk->number = number;
    chunk->slot = SLOT_NONE;
    percpu_chunk_reset(chunk);
    return chunk;
}

static void chunk_destroy(struct percpu_chunk *chunk)
{
    percpu_hook_free(chunk->words, WORDS_BYTES);
    percpu_hook_free(chunk, sizeof(*chunk));
}

static uint32_t free_chunk_number(void)
{
    uint32_t number = 0;

    while (number < CHUNK_COUNT_MAX && percpu_allocator.chunk[number])
        number++;
    return number;
}

/* `seen`: how often the allocator had grown when the caller found no room. All CPUs that find none at
 * once wait here in a row; those behind the first one use what it made. */
int percpu_chunk_grow(uint64_t seen)
{
    struct percpu_allocator *a = &percpu_allocator;
    unsigned long pages_state = spin_lock_irqsave(&percpu_pages_lock), state;
    uint32_t number = free_chunk_number();
    bool grown = a->grown != seen; /* changed under this lock alone */
    struct percpu_chunk *chunk = !grown && number < CHUNK_COUNT_MAX ? chunk_create(number) : NULL;

    if (chunk) {
        state = area_lock();
        a->chunk[number] = chunk;
        a->grown++;
        a->chunks_end = MAX(a->chunks_end, number + 1);
        a->stats.chunks++;
        a->stats.bytes_metadata += sizeof(*chunk) + WORDS_BYTES;
        percpu_chunk_place(chunk);
        spin_unlock_irqrestore(&percpu_area_lock, state);
    }
    spin_unlock_irqrestore(&percpu_pages_lock, pages_state);
    return chunk || grown ? 0 : -CS_ENOMEM;
}

/* --- pages come --- */

static percpu_area_t block_offset(const struct percpu_chunk *chunk, uint32_t b)
{
    return (percpu_area_t)chunk->number * PERCPU_UNIT_BYTES + b * ARCH_PAGE_BYTES;
}

static int block_populate(struct percpu_chunk *chunk, uint32_t b)
{
    uint32_t bit = 1u << b;
    unsigned long state;

    if (atomic_load_explicit(&chunk->populated, memory_order_relaxed) & bit)
        return 0;
    if (percpu_hook_populate(block_offset(chunk, b), ARCH_PAGE_BYTES))
        return -CS_ENOMEM;
    state = area_lock();
    /* Release: whoever finds the bit without the pages lock finds the zeroed memory. */
    atomic_fetch_or_explicit(&chunk->populated, bit, memory_order_release);
    percpu_allocator.stats.pages_populated++;
    percpu_allocator.pages_empty += chunk->block[b].free == BLOCK_GRANULES;
    spin_unlock_irqrestore(&percpu_area_lock, state);
    return 0;
}

int percpu_chunk_back(struct percpu_chunk *chunk, uint32_t at, uint32_t granules)
{
    uint32_t first = at / BLOCK_GRANULES, last = (at + granules - 1) / BLOCK_GRANULES;
    uint32_t wanted = percpu_block_mask(at, granules);
    unsigned long state;
    int error = 0;

    if ((atomic_load_explicit(&chunk->populated, memory_order_acquire) & wanted) == wanted)
        return 0;
    state = spin_lock_irqsave(&percpu_pages_lock);
    for (uint32_t b = first; b <= last && !error; b++)
        error = block_populate(chunk, b);
    spin_unlock_irqrestore(&percpu_pages_lock, state);
    return error;
}

/* --- pages and chunks go --- */

static uint32_t depopulate_blocks(const struct percpu_chunk *chunk, uint32_t mask)
{
    uint32_t pages = 0;

    for (uint32_t b = 0; b < CHUNK_BLOCKS; b++) {
        if (!(mask >> b & 1))
            continue;
        percpu_hook_depopulate(block_offset(chunk, b), ARCH_PAGE_BYTES);
        pages++;
    }
    return pages;
}

/* Under both locks: the chunk disappears for everyone else. Returns its pages. */
static uint32_t chunk_detach(struct percpu_chunk *chunk)
{
    struct percpu_allocator *a = &percpu_allocator;
    uint32_t mask = atomic_load_explicit(&chunk->populated, memory_order_relaxed);

    percpu_chunk_unlist(chunk);
    a->chunk[chunk->number] = NULL;
    while (a->chunks_end && !a->chunk[a->chunks_end - 1])
        a->chunks_end--;
    a->pages_empty -= (uint32_t)__builtin_popcount(mask);
    a->stats.pages_populated -= (uint32_t)__builtin_popcount(mask);
    a->stats.chunks--;
    a->stats.bytes_metadata -= sizeof(*chunk) + WORDS_BYTES;
    return mask;
}

static uint32_t hold_empty_blocks(struct percpu_chunk *chunk)
{
    uint32_t populated = atomic_load_explicit(&chunk->populated, memory_order_relaxed), held = 0;

    for (uint32_t b = 0; b < CHUNK_BLOCKS; b++) {
        if (!(populated >> b & 1) || chunk->block[b].free != BLOCK_GRANULES)
            continue;
        percpu_block_hold(chunk, b);
        held |= 1u << b;
    }
    return held;
}

static void release_blocks(struct percpu_chunk *chunk, uint32_t mask)
{
    unsigned long state = area_lock();

    atomic_fetch_and_explicit(&chunk->populated, ~mask, memory_order_relaxed);
    percpu_allocator.stats.pages_populated -= (uint32_t)__builtin_popcount(mask);
    for (uint32_t b = 0; b < CHUNK_BLOCKS; b++)
        if (mask >> b & 1)
            percpu_block_release(chunk, b);
    spin_unlock_irqrestore(&percpu_area_lock, state);
}

/* Gives back the empty pages of one chunk, and the chunk itself when `chunk_too` and it is empty.
 * The pages lock is held. Chunk 0 stays: the static variables live in it. */
static uint32_t trim_chunk(uint32_t number, uint32_t chunks_kept)
{
    unsigned long state = area_lock();
    struct percpu_chunk *chunk = percpu_allocator.chunk[number];
    bool whole = chunk && number && percpu_chunk_is_free(chunk) &&
                 percpu_allocator.chunks_empty > chunks_kept;
    uint32_t mask = 0, pages;

    if (whole)
        mask = chunk_detach(chunk);
    else if (chunk)
        mask = hold_empty_blocks(chunk);
    spin_unlock_irqrestore(&percpu_area_lock, state);
    if (!chunk)
        return 0;

    pages = depopulate_blocks(chunk, mask);
    if (whole)
        chunk_destroy(chunk);
    else if (mask)
        release_blocks(chunk, mask);
    return pages;
}

static bool trim_is_done(uint32_t pages_kept, uint32_t chunks_kept)
{
    unsigned long state = area_lock();
    bool done =
        percpu_allocator.pages_empty <= pages_kept && percpu_allocator.chunks_empty <= chunks_kept;

    spin_unlock_irqrestore(&percpu_area_lock, state);
    return done;
}

/* From the highest chunk down: the low ones are where areas will be packed. */
static uint64_t trim(uint32_t pages_kept, uint32_t chunks_kept)
{
    uint64_t pages = 0;

    for (uint32_t number = percpu_allocator.chunks_end; number-- > 0;) {
        if (trim_is_done(pages_kept, chunks_kept))
            break;
        pages += trim_chunk(number, chunks_kept);
    }
    return pages;
}

bool percpu_trim_is_due(void)
{
    return percpu_allocator.pages_empty > PAGES_EMPTY_HIGH ||
           percpu_allocator.chunks_empty > CHUNKS_EMPTY_KEPT;
}

/* Somebody who trims or populates already does enough: no waiting. */
void percpu_trim_lazily(void)
{
    unsigned long state = irq_save();

    if (spin_trylock(&percpu_pages_lock)) {
        trim(PAGES_EMPTY_LOW, CHUNKS_EMPTY_KEPT);
        spin_unlock(&percpu_pages_lock);
    }
    irq_restore(state);
}

uint64_t percpu_area_trim(void)
{
    unsigned long state = spin_lock_irqsave(&percpu_pages_lock);
    uint64_t pages = trim(0, 0);

    spin_unlock_irqrestore(&percpu_pages_lock, state);
    return pages;
}
