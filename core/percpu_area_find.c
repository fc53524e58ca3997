/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: finding a free run in a chunk (percpu_area_internal.h has picture and invariants).
 *
 * Runs of up to 64 granules are looked for two words at a time inside a block; anything else, and
 * what lies across blocks, word by word. Each failure lowers a hint (I5): with
 * alignment a, no run of n + a - 1 can be there, since it would have held an aligned one of n. So
 * the work of a failed search is paid for by the free that had raised the hint.
 */
#include "core/percpu_area_internal.h"

#define NOT_FOUND UINT32_MAX

/* Bits of a word at multiples of 2^i. */
static const uint64_t aligned_bits[] = {~0ull,
                                        0x5555555555555555ull,
                                        0x1111111111111111ull,
                                        0x0101010101010101ull,
                                        0x0001000100010001ull,
                                        0x0000000100000001ull,
                                        1};

/* A run of n <= 64, aligned to at most 64, inside block b: after the inner loop bit i of `lo` says
 * that the n granules from i on are free. */
static inline uint32_t find_short(const struct percpu_chunk *chunk, uint32_t b, uint32_t n,
                                  uint32_t align)
{
    const struct percpu_word *w = &chunk->words[b * BLOCK_WORDS];
    uint64_t pattern = aligned_bits[__builtin_ctz(align)], lo, hi;
    uint32_t i = chunk->block[b].first_word, have, step;

    for (; i < BLOCK_WORDS; i++) {
        percpu_allocator.stats.search_steps++;
        lo = ~w[i].live;
        if (n > 1) {
            hi = i + 1 < BLOCK_WORDS ? ~w[i + 1].live : 0;
            for (have = 1; have < n && lo; have += step) {
                step = MIN(have, n - have);
                lo &= lo >> step | hi << (WORD_GRANULES - step);
                hi &= hi >> step;
            }
        }
        lo &= pattern;
        if (lo)
            return (b * BLOCK_WORDS + i) * WORD_GRANULES + (uint32_t)__builtin_ctzll(lo);
    }
    return NOT_FOUND;
}

/* A run in the words [from, to) that is longer than a word, or crosses from one into the next, or
 * is aligned to words: word by word, with the free end of one as the beginning of the next's. */
static noinline uint32_t find_words(const struct percpu_chunk *chunk, uint32_t from, uint32_t to,
                                    const struct percpu_request *req)
{
    uint32_t begin = from * WORD_GRANULES;

    for (uint32_t i = from; i < to; i++) {
        uint64_t live = chunk->words[i].live;
        uint32_t stop =
            i * WORD_GRANULES + (live ? (uint32_t)__builtin_ctzll(live) : WORD_GRANULES);
        uint32_t at = ALIGN_UP(begin, req->align);

        percpu_allocator.stats.search_steps++;
        if (at + req->granules <= stop)
            return at;
        if (live)
            begin = (i + 1) * WORD_GRANULES - (uint32_t)__builtin_clzll(live);
    }
    return NOT_FOUND;
}

static inline uint32_t find_in_block(struct percpu_chunk *chunk, uint32_t b,
                                     const struct percpu_request *req)
{
    struct percpu_block *block = &chunk->block[b];
    uint32_t at, first = b * BLOCK_WORDS;

    if (likely(req->granules <= WORD_GRANULES && req->align <= WORD_GRANULES))
        at = find_short(chunk, b, req->granules, req->align);
    else
        at = find_words(chunk, first + block->first_word, first + BLOCK_WORDS, req);
    if (unlikely(at == NOT_FOUND))
        block->longest = (uint16_t)MIN(block->longest, req->granules + req->align - 2);
    return at;
}

uint32_t percpu_chunk_find(struct percpu_chunk *chunk, const struct percpu_request *req)
{
    uint32_t at;

    percpu_allocator.stats.search_steps++;
    for (uint32_t b = chunk->first_block; b < CHUNK_BLOCKS; b++) {
        if (chunk->block[b].longest < req->granules)
            continue;
        at = find_in_block(chunk, b, req);
        if (likely(at != NOT_FOUND))
            return at;
    }
    at = find_words(chunk, chunk->first_block * BLOCK_WORDS, CHUNK_WORDS, req); /* across blocks */
    if (at == NOT_FOUND)
        chunk->longest = MIN(chunk->longest, req->granules + req->align - 2);
    return at;
}
