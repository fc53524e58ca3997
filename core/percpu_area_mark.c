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

/* --- one word --- */

void percpu_chunk_reset(struct percpu_chunk *chunk)
{
    chunk->free = chunk->longest = CHUNK_GRANULES;
    chunk->first_block = 0;
    for (uint32_t b = 0; b < CHUNK_BLOCKS; b++)
        chunk->block[b] = (struct percpu_block){BLOCK_GRANULES, BLOCK_GRANULES, 0};
}

static inline uint32_t is_populated(const struct percpu_chunk *chunk, uint32_t b)
{
    return atomic_load_explicit(&chunk->populated, memory_order_relaxed) >> b & 1;
}

/* A word has become full: I6. */
static noinline void skip_full(struct percpu_chunk *chunk, uint32_t b)
{
    struct percpu_block *block = &chunk->block[b];

    while (block->first_word < BLOCK_WORDS &&
           chunk->words[b * BLOCK_WORDS + block->first_word].live == ~0ull)
        block->first_word++;
    while (chunk->first_block < CHUNK_BLOCKS && !chunk->block[chunk->first_block].free)
        chunk->first_block++;
}

/* Takes `count` granules that lie in one word; keeps I1, I4, I5, I6 of the block. */
static inline void word_take(struct percpu_chunk *chunk, uint32_t at, uint32_t count)
{
    uint64_t *live = &chunk->words[at / WORD_GRANULES].live;
    uint32_t b = at / BLOCK_GRANULES;
    struct percpu_block *block = &chunk->block[b];

    if (unlikely(block->free == BLOCK_GRANULES))
        percpu_allocator.pages_empty -= is_populated(chunk, b);
    block->free = (uint16_t)(block->free - count);
    if (block->longest > block->free)
        block->longest = block->free;
    *live |= percpu_mask(at % WORD_GRANULES, count);
    if (unlikely(*live == ~0ull))
        skip_full(chunk, b);
}

/* Free granules before bit 0 of word i, as far as one look into the word before tells. */
static inline uint32_t free_below(const struct percpu_chunk *chunk, uint32_t i, bool *bounded)
{
    uint64_t live = i ? chunk->words[i - 1].live : 0;

    *bounded &= live || !i;
    return live ? (uint32_t)__builtin_clzll(live) : 0;
}

static inline uint32_t free_above(const struct percpu_chunk *chunk, uint32_t i, bool *bounded)
{
    uint64_t live = i + 1 < CHUNK_WORDS ? chunk->words[i + 1].live : 0;

    *bounded &= live || i + 1 == CHUNK_WORDS;
    return live ? (uint32_t)__builtin_ctzll(live) : 0;
}

/* The length of the free run that granule `at` is in: exact where it ends in the word or in one of the
 * two beside it, else UINT32_MAX. */
static inline uint32_t run_around(const struct percpu_chunk *chunk, uint32_t at)
{
    uint32_t i = at / WORD_GRANULES, bit = at % WORD_GRANULES, above, below;
    uint64_t live = chunk->words[i].live, up = live >> bit, down = live << (63 - bit);
    bool bounded = true;

    above = up ? (uint32_t)__builtin_ctzll(up)
               : WORD_GRANULES - bit + free_above(chunk, i, &bounded);
    if (!bounded)
        return UINT32_MAX;
    below = down ? (uint32_t)__builtin_clzll(down) - 1 : bit + free_below(chunk, i, &bounded);
    return bounded ? above + below : UINT32_MAX;
}

/* Gives `count` granules of one word back. Without a look at the whole block its longest run is only
 * known to be no more than all that is free; across blocks, than that and a run on either side. */
static inline void word_give(struct percpu_chunk *chunk, uint32_t at, uint32_t count)
{
    uint32_t b = at / BLOCK_GRANULES, word = at % BLOCK_GRANULES / WORD_GRANULES;
    uint32_t before = chunk->longest, run;
    struct percpu_block *block = &chunk->block[b];

    chunk->words[at / WORD_GRANULES].live &= ~percpu_mask(at % WORD_GRANULES, count);
    block->free = (uint16_t)(block->free + count);
    if (block->first_word > word)
        block->first_word = (uint16_t)word;
    if (chunk->first_block > b)
        chunk->first_block = (uint16_t)b;
    if (unlikely(block->free == BLOCK_GRANULES))
        percpu_allocator.pages_empty += is_populated(chunk, b);

    run = run_around(chunk, at);
    if (run == UINT32_MAX) {
        block->longest = block->free;
        run = MIN(block->free + 2 * before, chunk->free);
    } else if (block->longest < run) {
        block->longest = (uint16_t)MIN(run, block->free);
    }
    if (chunk->longest < run)
        chunk->longest = run;
}

/* --- runs of any length --- */

static inline void run_take(struct percpu_chunk *chunk, uint32_t at, uint32_t granules)
{
    uint32_t end = at + granules, count;

    chunk->free -= granules;
    if (chunk->longest > chunk->free)
        chunk->longest = chunk->free;
    do {
        count = MIN(WORD_GRANULES - at % WORD_GRANULES, end - at);
        word_take(chunk, at, count);
        at += count;
    } while (unlikely(at < end));
    percpu_chunk_place(chunk);
}

static inline void run_give(struct percpu_chunk *chunk, uint32_t at, uint32_t granules)
{
    uint32_t end = at + granules, count;

    chunk->free += granules;
    do {
        count = MIN(WORD_GRANULES - at % WORD_GRANULES, end - at);
        word_give(chunk, at, count);
        at += count;
    } while (unlikely(at < end));
    if (unlikely(percpu_chunk_is_free(chunk)))
        percpu_chunk_reset(chunk);
    percpu_chunk_place(chunk);
}

void percpu_chunk_mark(struct percpu_chunk *chunk, uint32_t at, const struct percpu_request *req)
{
    struct percpu_word *w = &chunk->words[at / WORD_GRANULES];
    uint64_t first = 1ull << (at % WORD_GRANULES);

    w->start |= first;
    if (unlikely(req->slack)) {
        w->slack1 |= req->slack & 1 ? first : 0;
        w->slack2 |= req->slack & 2 ? first : 0;
    }
    run_take(chunk, at, req->granules);
}

uint32_t percpu_chunk_area_granules(const struct percpu_chunk *chunk, uint32_t at)
{
    uint32_t i = (at + 1) / WORD_GRANULES, bit = (at + 1) % WORD_GRANULES;

    for (; i < CHUNK_WORDS; i++, bit = 0) {
        const struct percpu_word *w = &chunk->words[i];
        uint64_t ends = (w->start | ~w->live) >> bit;

        if (likely(ends))
            return i * WORD_GRANULES + bit + (uint32_t)__builtin_ctzll(ends) - at;
    }
    return CHUNK_GRANULES - at;
}

uint32_t percpu_chunk_unmark(struct percpu_chunk *chunk, uint32_t at)
{
    struct percpu_word *w = &chunk->words[at / WORD_GRANULES];
    uint64_t first = 1ull << (at % WORD_GRANULES);
    uint32_t granules = percpu_chunk_area_granules(chunk, at), slack = 0;

    w->start &= ~first;
    if (unlikely((w->slack1 | w->slack2) & first)) {
        slack = percpu_word_slack(w, first);
        w->slack1 &= ~first;
        w->slack2 &= ~first;
    }
    run_give(chunk, at, granules);
    return slack;
}

/* --- trimming holds a wholly free block so that nobody allocates from it meanwhile (I1) --- */

void percpu_block_hold(struct percpu_chunk *chunk, uint32_t b)
{
    chunk->held |= 1u << b;
    chunk->words[b * BLOCK_WORDS].start |= 1; /* an area before it ends here */
    run_take(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES);
}

void percpu_block_release(struct percpu_chunk *chunk, uint32_t b)
{
    chunk->held &= ~(1u << b);
    chunk->words[b * BLOCK_WORDS].start &= ~1ull;
    run_give(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES);
}
