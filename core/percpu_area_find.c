/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: finding a free run in a chunk (percpu_area_internal.h has picture and invariants).
 *
 * Runs of up to 64 granules are looked for two words at a time inside a block; anything else, and
 * what lies across blocks, by walking from run to run. Each failure lowers a hint (I5): with
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

/* A run of n <= 64, aligned to at most 64, inside block b: after the inner loop bit i of `lo` says that
 * the n granules from i on are free. */
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

/* The first granule in [from, to) whose live bit is `live`, or `to`. */
static uint32_t next_bit(const struct percpu_chunk *chunk, uint32_t from, uint32_t to, bool live)
{
    while (from < to) {
        uint64_t bits = chunk->words[from / WORD_GRANULES].live;

        percpu_allocator.stats.search_steps++;
        bits = (live ? bits : ~bits) >> (from % WORD_GRANULES);
        if (bits)
            return MIN(from + (uint32_t)__builtin_ctzll(bits), to);
        from = ALIGN_DOWN(from, WORD_GRANULES) + WORD_GRANULES;
    }
    return to;
}

/* How many granules before `to` are free without a gap; not below `from`. */
static uint32_t free_before(const struct percpu_chunk *chunk, uint32_t from, uint32_t to)
{
    uint32_t at = to;

    while (at > from) {
        uint64_t bits = chunk->words[at / WORD_GRANULES - 1].live; /* from, to: multiples of 64 */

        percpu_allocator.stats.search_steps++;
        if (bits)
            return to - at + (uint32_t)__builtin_clzll(bits);
        at -= WORD_GRANULES;
    }
    return to - at;
}

/* A run of n in [from, to), from run to run. */
static uint32_t find_walking(const struct percpu_chunk *chunk, uint32_t from, uint32_t to,
                             const struct percpu_request *req)
{
    while (from < to) {
        uint32_t begin = next_bit(chunk, from, to, false);
        uint32_t end = next_bit(chunk, begin, to, true), at = ALIGN_UP(begin, req->align);

        if (at < end && end - at >= req->granules)
            return at;
        from = end;
    }
    return NOT_FOUND;
}

static inline uint32_t find_in_block(struct percpu_chunk *chunk, uint32_t b,
                              const struct percpu_request *req)
{
    struct percpu_block *block = &chunk->block[b];
    uint32_t at, begin = b * BLOCK_GRANULES;

    if (likely(req->granules <= WORD_GRANULES && req->align <= WORD_GRANULES))
        at = find_short(chunk, b, req->granules, req->align);
    else
        at = find_walking(chunk, begin + block->first_word * WORD_GRANULES, begin + BLOCK_GRANULES,
                          req);
    if (unlikely(at == NOT_FOUND))
        block->longest = (uint16_t)MIN(block->longest, req->granules + req->align - 2);
    return at;
}

/* Runs that cross from one block into the next: the free end of one, wholly free blocks, the free
 * beginning of another. */
static noinline uint32_t find_across(const struct percpu_chunk *chunk, const struct percpu_request *req)
{
    uint32_t begin = NOT_FOUND; /* of the run that reaches the current block, if one does */

    for (uint32_t b = chunk->first_block; b < CHUNK_BLOCKS; b++) {
        uint32_t first = b * BLOCK_GRANULES, end = first + BLOCK_GRANULES, at;

        if (begin == NOT_FOUND)
            begin = first;
        if (chunk->block[b].free != BLOCK_GRANULES || b + 1 == CHUNK_BLOCKS) {
            uint32_t stop = next_bit(chunk, first, end, true);

            at = ALIGN_UP(begin, req->align);
            if (at < stop && stop - at >= req->granules)
                return at;
            begin = end - free_before(chunk, first, end);
            if (begin == end)
                begin = NOT_FOUND;
        }
    }
    return NOT_FOUND;
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
    at = find_across(chunk, req);
    if (at == NOT_FOUND)
        chunk->longest = MIN(chunk->longest, req->granules + req->align - 2);
    return at;
}
