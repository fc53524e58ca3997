/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: taking and giving back runs of a chunk, and the hints that go with it, inline,
 * since each is the body of an alloc or a free (percpu_area_internal.h has picture and invariants).
 * All under the area lock.
 *
 * Cost of an area inside one word: the word's half line, the chunk's two lines of hints.
 */
#ifndef CORE_PERCPU_AREA_BITS_H
#define CORE_PERCPU_AREA_BITS_H

#include "core/percpu_area_internal.h"

/* I7, when the chunk is not wholly free: is it still in the list of floor(log2(longest))? */
static always_inline void percpu_place_here(struct percpu_chunk *chunk)
{
    if (unlikely(chunk->longest >> chunk->slot != 1))
        percpu_chunk_place(chunk);
}

/* A word has become full: I6. */
void percpu_skip_full(struct percpu_chunk *chunk, uint32_t b);

static always_inline uint32_t percpu_is_populated(const struct percpu_chunk *chunk, uint32_t b)
{
    return atomic_load_explicit(&chunk->populated, memory_order_relaxed) >> b & 1;
}

/* Takes `count` granules that lie in one word; keeps I1, I4, I5, I6 of the block. */
static always_inline void percpu_word_take(struct percpu_chunk *chunk, uint32_t at, uint32_t count)
{
    uint64_t *live = &chunk->words[at / WORD_GRANULES].live;
    uint32_t b = at / BLOCK_GRANULES;
    struct percpu_block *block = &chunk->block[b];

    if (unlikely(block->free == BLOCK_GRANULES))
        percpu_allocator.pages_empty -= percpu_is_populated(chunk, b);
    block->free = (uint16_t)(block->free - count);
    if (block->longest > block->free)
        block->longest = block->free;
    *live |= percpu_mask(at % WORD_GRANULES, count);
    if (unlikely(*live == ~0ull))
        percpu_skip_full(chunk, b);
}

/* Free granules before bit 0 of word i, as far as one look into the word before tells. */
static always_inline uint32_t percpu_free_below(const struct percpu_chunk *chunk, uint32_t i,
                                                bool *bounded)
{
    uint64_t live = i ? chunk->words[i - 1].live : 0;

    *bounded &= live || !i;
    return live ? (uint32_t)__builtin_clzll(live) : 0;
}

static always_inline uint32_t percpu_free_above(const struct percpu_chunk *chunk, uint32_t i,
                                                bool *bounded)
{
    uint64_t live = i + 1 < CHUNK_WORDS ? chunk->words[i + 1].live : 0;

    *bounded &= live || i + 1 == CHUNK_WORDS;
    return live ? (uint32_t)__builtin_ctzll(live) : 0;
}

/* The length of the free run that granule `at` is in: exact where it ends in the word or in one of
 * the two beside it, else UINT32_MAX. */
static always_inline uint32_t percpu_run_around(const struct percpu_chunk *chunk, uint32_t at)
{
    uint32_t i = at / WORD_GRANULES, bit = at % WORD_GRANULES, above, below;
    uint64_t live = chunk->words[i].live, up = live >> bit, down = live << (63 - bit);
    bool bounded = true;

    above = up ? (uint32_t)__builtin_ctzll(up)
               : WORD_GRANULES - bit + percpu_free_above(chunk, i, &bounded);
    if (!bounded)
        return UINT32_MAX;
    below =
        down ? (uint32_t)__builtin_clzll(down) - 1 : bit + percpu_free_below(chunk, i, &bounded);
    return bounded ? above + below : UINT32_MAX;
}

/* Gives `count` granules of one word back. Without a look at the whole block its longest run is
 * only known to be no more than all that is free; across blocks, than that and a run on either
 * side. */
static always_inline void percpu_word_give(struct percpu_chunk *chunk, uint32_t at, uint32_t count)
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
        percpu_allocator.pages_empty += percpu_is_populated(chunk, b);

    run = percpu_run_around(chunk, at);
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

static always_inline void percpu_run_take(struct percpu_chunk *chunk, uint32_t at,
                                          uint32_t granules)
{
    uint32_t end = at + granules, count;

    chunk->free -= granules;
    if (chunk->longest > chunk->free)
        chunk->longest = chunk->free;
    do {
        count = MIN(WORD_GRANULES - at % WORD_GRANULES, end - at);
        percpu_word_take(chunk, at, count);
        at += count;
    } while (unlikely(at < end));
    percpu_place_here(chunk);
}

static always_inline void percpu_run_give(struct percpu_chunk *chunk, uint32_t at,
                                          uint32_t granules)
{
    uint32_t end = at + granules, count;

    chunk->free += granules;
    do {
        count = MIN(WORD_GRANULES - at % WORD_GRANULES, end - at);
        percpu_word_give(chunk, at, count);
        at += count;
    } while (unlikely(at < end));
    if (unlikely(percpu_chunk_is_free(chunk))) {
        percpu_chunk_reset(chunk);
        percpu_chunk_place(chunk);
        return;
    }
    percpu_place_here(chunk);
}

static always_inline void percpu_mark_here(struct percpu_chunk *chunk, uint32_t at,
                                           const struct percpu_request *req)
{
    struct percpu_word *w = &chunk->words[at / WORD_GRANULES];
    uint64_t first = 1ull << (at % WORD_GRANULES);

    w->start |= first;
    if (unlikely(req->slack)) {
        w->slack1 |= req->slack & 1 ? first : 0;
        w->slack2 |= req->slack & 2 ? first : 0;
    }
    percpu_run_take(chunk, at, req->granules);
}

static always_inline uint32_t percpu_granules_here(const struct percpu_chunk *chunk, uint32_t at)
{
    const struct percpu_word *w = &chunk->words[at / WORD_GRANULES];
    uint64_t ends = (w->start | ~w->live) >> (at % WORD_GRANULES) >> 1;

    return likely(ends) ? (uint32_t)__builtin_ctzll(ends) + 1
                        : percpu_chunk_area_granules(chunk, at);
}

static always_inline uint32_t percpu_unmark_here(struct percpu_chunk *chunk, uint32_t at)
{
    struct percpu_word *w = &chunk->words[at / WORD_GRANULES];
    uint64_t first = 1ull << (at % WORD_GRANULES);
    uint32_t granules = percpu_granules_here(chunk, at), slack = 0;

    w->start &= ~first;
    if (unlikely((w->slack1 | w->slack2) & first)) {
        slack = percpu_word_slack(w, first);
        w->slack1 &= ~first;
        w->slack2 &= ~first;
    }
    percpu_run_give(chunk, at, granules);
    return slack;
}

#endif
