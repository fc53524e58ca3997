/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: taking and giving back runs of a chunk, and the hints that go with it
 * (percpu_area_internal.h has picture and invariants). All under the area lock.
 *
 * Cost of an area inside one word: the word's half line, the chunk's two lines of hints.
 */
#include "core/percpu_area_internal.h"

/* --- I7: slots --- */

static uint32_t slot_of(const struct percpu_chunk *chunk)
{
    if (percpu_chunk_is_free(chunk))
        return SLOT_WHOLLY_FREE;
    return chunk->longest ? 31u - (uint32_t)__builtin_clz(chunk->longest) : SLOT_NONE;
}

void percpu_chunk_unlist(struct percpu_chunk *chunk)
{
    struct list *head;

    if (chunk->slot == SLOT_NONE)
        return;
    head = &percpu_allocator.slot[chunk->slot];
    list_del(&chunk->slot_link);
    if (list_empty(head))
        percpu_allocator.slots_used &= ~(1u << chunk->slot);
    if (chunk->slot == SLOT_WHOLLY_FREE)
        percpu_allocator.chunks_empty--;
    chunk->slot = SLOT_NONE;
}

static noinline void percpu_chunk_move(struct percpu_chunk *chunk, uint32_t slot)
{
    struct list *head;

    percpu_chunk_unlist(chunk);
    if (slot == SLOT_NONE)
        return;
    head = &percpu_allocator.slot[slot];
    /* Fuller ones towards the front, as far as one look tells. */
    if (list_empty(head) ||
        chunk->free <= LIST_ENTRY(head->next, struct percpu_chunk, slot_link)->free)
        list_add(head, &chunk->slot_link);
    else
        list_add_tail(head, &chunk->slot_link);
    percpu_allocator.slots_used |= 1u << slot;
    percpu_allocator.chunks_empty += slot == SLOT_WHOLLY_FREE;
    chunk->slot = (uint16_t)slot;
}

void percpu_chunk_place(struct percpu_chunk *chunk)
{
    uint32_t slot = slot_of(chunk);

    if (unlikely(slot != chunk->slot))
        percpu_chunk_move(chunk, slot);
}

/* --- bitmaps --- */

void percpu_chunk_reset(struct percpu_chunk *chunk)
{
    chunk->free = chunk->longest = CHUNK_GRANULES;
    chunk->first_block = 0;
    for (uint32_t b = 0; b < CHUNK_BLOCKS; b++)
        chunk->block[b] = (struct percpu_block){BLOCK_GRANULES, BLOCK_GRANULES, 0};
}

static void set_live(struct percpu_chunk *chunk, uint32_t at, uint32_t granules, bool live)
{
    uint32_t end = at + granules;

    while (at < end) {
        uint32_t bit = at % WORD_GRANULES, count = MIN(WORD_GRANULES - bit, end - at);
        uint64_t *bits = &chunk->words[at / WORD_GRANULES].live, mask = percpu_mask(bit, count);

        *bits = live ? *bits | mask : *bits & ~mask;
        at += count;
    }
}

static inline bool block_is_empty_page(const struct percpu_chunk *chunk, uint32_t b)
{
    return chunk->block[b].free == BLOCK_GRANULES &&
           atomic_load_explicit(&chunk->populated, memory_order_relaxed) >> b & 1;
}

/* --- taking --- */

/* `count` granules of block b are taken now; keeps I4, I5, I6. */
static inline void block_shrink(struct percpu_chunk *chunk, uint32_t b, uint32_t count)
{
    struct percpu_block *block = &chunk->block[b];

    percpu_allocator.pages_empty -= block_is_empty_page(chunk, b);
    block->free = (uint16_t)(block->free - count);
    block->longest = MIN(block->longest, block->free);
    while (block->first_word < BLOCK_WORDS &&
           chunk->words[b * BLOCK_WORDS + block->first_word].live == ~0ull)
        block->first_word++;
    while (chunk->first_block < CHUNK_BLOCKS && !chunk->block[chunk->first_block].free)
        chunk->first_block++;
}

static void chunk_take(struct percpu_chunk *chunk, uint32_t at, uint32_t granules)
{
    uint32_t end = at + granules;

    chunk->free -= granules;
    chunk->longest = MIN(chunk->longest, chunk->free);
    while (at < end) {
        uint32_t b = at / BLOCK_GRANULES, count = MIN((b + 1) * BLOCK_GRANULES, end) - at;

        block_shrink(chunk, b, count);
        at += count;
    }
}

void percpu_chunk_mark(struct percpu_chunk *chunk, uint32_t at, const struct percpu_request *req)
{
    struct percpu_word *w = &chunk->words[at / WORD_GRANULES];
    uint64_t first = 1ull << (at % WORD_GRANULES);

    set_live(chunk, at, req->granules, true);
    w->start |= first;
    if (req->slack & 1)
        w->slack1 |= first;
    if (req->slack & 2)
        w->slack2 |= first;
    chunk_take(chunk, at, req->granules);
    percpu_chunk_place(chunk);
}

/* --- giving back --- */

uint32_t percpu_chunk_area_granules(const struct percpu_chunk *chunk, uint32_t at)
{
    uint32_t i = (at + 1) / WORD_GRANULES, bit = (at + 1) % WORD_GRANULES;

    for (; i < CHUNK_WORDS; i++, bit = 0) {
        const struct percpu_word *w = &chunk->words[i];
        uint64_t ends = (w->start | ~w->live) >> bit;

        if (ends)
            return i * WORD_GRANULES + bit + (uint32_t)__builtin_ctzll(ends) - at;
    }
    return CHUNK_GRANULES - at;
}

/* An upper bound of the run that [at, at+count), inside one word and free now, belongs to: exact when
 * the run ends inside the word, else `unknown`. */
static inline uint32_t run_bound(const struct percpu_chunk *chunk, uint32_t at, uint32_t count,
                                 uint32_t unknown)
{
    uint32_t bit = at % WORD_GRANULES, end = bit + count;
    uint64_t live = chunk->words[at / WORD_GRANULES].live;
    uint64_t above, below;

    if (end >= WORD_GRANULES || bit == 0)
        return unknown;
    above = live >> end;
    below = live << (WORD_GRANULES - bit);
    if (!above || !below)
        return unknown;
    return count + (uint32_t)__builtin_ctzll(above) + (uint32_t)__builtin_clzll(below);
}

static inline void block_extend(struct percpu_chunk *chunk, uint32_t at, uint32_t count)
{
    uint32_t b = at / BLOCK_GRANULES, word = at % BLOCK_GRANULES / WORD_GRANULES;
    struct percpu_block *block = &chunk->block[b];
    uint32_t bound, before = chunk->longest;

    block->free = (uint16_t)(block->free + count);
    block->first_word = (uint16_t)MIN(block->first_word, word);
    chunk->first_block = (uint16_t)MIN(chunk->first_block, b);
    percpu_allocator.pages_empty += block_is_empty_page(chunk, b);

    bound = run_bound(chunk, at, count, UINT32_MAX);
    if (bound == UINT32_MAX) { /* it may go on into other words, and into the blocks beside */
        block->longest = block->free;
        bound = MIN(block->free + 2 * before, chunk->free);
    } else {
        block->longest = (uint16_t)MAX(block->longest, bound);
    }
    chunk->longest = MAX(before, bound);
}

static void chunk_give(struct percpu_chunk *chunk, uint32_t at, uint32_t granules)
{
    uint32_t end = at + granules;

    chunk->free += granules;
    while (at < end) {
        uint32_t stop = ALIGN_DOWN(at, BLOCK_GRANULES) + BLOCK_GRANULES;
        uint32_t count = MIN(stop, end) - at;

        block_extend(chunk, at, count);
        at += count;
    }
    if (percpu_chunk_is_free(chunk))
        percpu_chunk_reset(chunk);
}

void percpu_chunk_unmark(struct percpu_chunk *chunk, uint32_t at, uint32_t granules)
{
    struct percpu_word *w = &chunk->words[at / WORD_GRANULES];
    uint64_t keep = ~(1ull << (at % WORD_GRANULES));

    set_live(chunk, at, granules, false);
    w->start &= keep;
    w->slack1 &= keep;
    w->slack2 &= keep;
    chunk_give(chunk, at, granules);
    percpu_chunk_place(chunk);
}

/* --- trimming holds a wholly free block so that nobody allocates from it meanwhile (I1) --- */

void percpu_block_hold(struct percpu_chunk *chunk, uint32_t b)
{
    set_live(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES, true);
    chunk_take(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES);
    percpu_chunk_place(chunk);
}

void percpu_block_release(struct percpu_chunk *chunk, uint32_t b)
{
    set_live(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES, false);
    chunk_give(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES);
    percpu_chunk_place(chunk);
}
