/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: slot lists, and what is rare about taking and giving back (percpu_area_bits.h is
 * what is common). All under the area lock.
 */
#include "core/percpu_area_bits.h"

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

/* --- bitmaps: the calls behind percpu_area_bits.h --- */

void percpu_chunk_reset(struct percpu_chunk *chunk)
{
    chunk->free = chunk->longest = CHUNK_GRANULES;
    chunk->first_block = 0;
    for (uint32_t b = 0; b < CHUNK_BLOCKS; b++)
        chunk->block[b] = (struct percpu_block){BLOCK_GRANULES, BLOCK_GRANULES, 0};
}

void percpu_skip_full(struct percpu_chunk *chunk, uint32_t b)
{
    struct percpu_block *block = &chunk->block[b];

    while (block->first_word < BLOCK_WORDS &&
           chunk->words[b * BLOCK_WORDS + block->first_word].live == ~0ull)
        block->first_word++;
    while (chunk->first_block < CHUNK_BLOCKS && !chunk->block[chunk->first_block].free)
        chunk->first_block++;
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

void percpu_chunk_mark(struct percpu_chunk *chunk, uint32_t at, const struct percpu_request *req)
{
    percpu_mark_here(chunk, at, req);
}

uint32_t percpu_chunk_unmark(struct percpu_chunk *chunk, uint32_t at)
{
    return percpu_unmark_here(chunk, at);
}

/* --- trimming holds a wholly free block so that nobody allocates from it meanwhile (I1) --- */

void percpu_block_hold(struct percpu_chunk *chunk, uint32_t b)
{
    chunk->held |= 1u << b;
    chunk->words[b * BLOCK_WORDS].start |= 1; /* an area before it ends here */
    percpu_run_take(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES);
}

void percpu_block_release(struct percpu_chunk *chunk, uint32_t b)
{
    chunk->held &= ~(1u << b);
    chunk->words[b * BLOCK_WORDS].start &= ~1ull;
    percpu_run_give(chunk, b * BLOCK_GRANULES, BLOCK_GRANULES);
}
