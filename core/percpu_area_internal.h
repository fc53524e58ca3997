/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the per-CPU area allocator share: the chunk and its bitmaps.
 *
 *    chunk   64 KiB of every CPU's unit = 16 blocks
 *    block   one page = 1024 granules = 16 words
 *    word    64 granules; its four bitmaps lie together in half a cache line
 *    granule 4 bytes
 *
 * Invariants (percpu_area_check() compares them all):
 *  I1. A granule's `live` bit is set if and only if an area covers it (or trimming holds the page).
 *  I2. `start` is set on the first granule of each area and nowhere else; an area ends before the
 *      next start or the next granule that is not live.
 *  I3. slack1 + 2 × slack2 at an area's start is what rounding up to granules added, in bytes.
 *  I4. block.free and chunk.free are exact.
 *  I5. block.longest >= the longest free run inside the block; chunk.longest >= the longest free
 *      run of the chunk, across blocks too. Hints may promise too much, never too little: a failed
 *      search lowers them, so that the same disappointment does not come twice.
 *  I6. All words before block.first_word are full, all blocks before chunk.first_block are full.
 *  I7. A chunk is in the slot list of floor(log2(longest)); a full one is in none; a wholly free
 *      one in the last, which is looked at when nothing else fits: that empties chunks.
 *  I8. An area's pages are populated before it is handed out, and stay so while it lives.
 *  I9. `populated` changes under the pages lock and the area lock; either is enough to read it.
 *
 * Lock order: percpu_pages_lock, then percpu_area_lock. With the area lock held nothing is
 * allocated, populated, zeroed or printed.
 */
#ifndef CORE_PERCPU_AREA_INTERNAL_H
#define CORE_PERCPU_AREA_INTERNAL_H

#include <stdatomic.h>

#include <arch/mmu.h>

#include "core/list.h"
#include "core/percpu_area.h"
#include "core/spinlock.h"

#define GRANULE_BYTES 4u
#define WORD_GRANULES 64u
#define BLOCK_GRANULES (ARCH_PAGE_BYTES / GRANULE_BYTES)
#define BLOCK_WORDS (BLOCK_GRANULES / WORD_GRANULES)
#define CHUNK_GRANULES (PERCPU_UNIT_BYTES / GRANULE_BYTES)
#define CHUNK_BLOCKS (PERCPU_UNIT_BYTES / ARCH_PAGE_BYTES)
#define CHUNK_WORDS (CHUNK_GRANULES / WORD_GRANULES)
#define CHUNK_COUNT_MAX ((uint32_t)(PERCPU_STRIDE_BYTES / PERCPU_UNIT_BYTES))

#define SLOT_WHOLLY_FREE 15u
#define SLOT_NONE 16u
_Static_assert(CHUNK_GRANULES < 1u << SLOT_WHOLLY_FREE, "log2 of a run is below the last slot");
_Static_assert(BLOCK_WORDS <= 16 && CHUNK_BLOCKS <= 32, "fields and masks hold them");

struct percpu_word {
    uint64_t live, start, slack1, slack2;
};

struct percpu_block {
    uint16_t free, longest, first_word;
};

struct percpu_chunk {
    struct list slot_link;
    uint32_t number; /* the chunk's offset is number × PERCPU_UNIT_BYTES */
    uint32_t free, longest;
    uint16_t slot, first_block;
    uint32_t held;              /* blocks that trimming holds */
    _Atomic uint32_t populated; /* a bit for each block, I9 */
    struct percpu_word *words;
    struct percpu_block block[CHUNK_BLOCKS];
};

/* What one request is, in granules. */
struct percpu_request {
    uint32_t granules, align; /* red zone included; align a power of two */
    uint32_t slack;           /* I3 */
};

struct percpu_allocator {
    uint32_t cpus;
    uint32_t slots_used;         /* a bit for each list that is not empty */
    uint32_t chunks_end;         /* no chunk at or above this number */
    uint64_t grown;              /* chunks ever made */
    uint32_t pages_empty;        /* populated and wholly free: what trimming can give back */
    uint32_t chunks_empty;       /* wholly free chunks */
    struct percpu_chunk **chunk; /* by number */
    struct list slot[SLOT_NONE];
    uint32_t static_granules;     /* of chunk 0, never free */
    uint64_t taken, given, slack; /* areas, also for what failed later; slack of the live ones */
    struct percpu_stats stats;    /* what is not counted above or from the chunks */
};

extern struct percpu_allocator percpu_allocator;
extern struct spinlock percpu_area_lock, percpu_pages_lock;

static inline bool percpu_is_held(const struct percpu_chunk *chunk, uint32_t at)
{
    return unlikely(chunk->held) && chunk->held >> (at / BLOCK_GRANULES) & 1;
}

/* --- percpu_area_find.c: reads bitmaps, lowers hints --- */

/* First granule of a free, aligned run in the chunk, or UINT32_MAX. */
uint32_t percpu_chunk_find(struct percpu_chunk *chunk, const struct percpu_request *req);

/* `count` ones from bit `from`; from + count <= 64, count > 0. */
static inline uint64_t percpu_mask(uint32_t from, uint32_t count)
{
    return ~0ull >> (WORD_GRANULES - count) << from;
}

static inline uint32_t percpu_word_slack(const struct percpu_word *w, uint64_t first)
{
    return !!(w->slack1 & first) + 2u * !!(w->slack2 & first);
}

/* --- percpu_area_mark.c: changes bitmaps and hints --- */

void percpu_chunk_reset(struct percpu_chunk *chunk);
void percpu_chunk_mark(struct percpu_chunk *chunk, uint32_t at, const struct percpu_request *req);
/* Granules of the area that begins at `at`. */
uint32_t percpu_chunk_area_granules(const struct percpu_chunk *chunk, uint32_t at);
/* Gives it back; returns its slack. */
uint32_t percpu_chunk_unmark(struct percpu_chunk *chunk, uint32_t at);
/* Keeps I7 after any change of the hints. */
void percpu_chunk_place(struct percpu_chunk *chunk);
void percpu_chunk_unlist(struct percpu_chunk *chunk);
void percpu_block_hold(struct percpu_chunk *chunk, uint32_t b);
void percpu_block_release(struct percpu_chunk *chunk, uint32_t b);

static inline bool percpu_chunk_is_free(const struct percpu_chunk *chunk)
{
    return chunk->free == CHUNK_GRANULES;
}

/* --- percpu_area_pages.c: memory comes and goes --- */

/* Makes one more chunk, unless somebody has since: `seen` is how often the allocator had grown when
 * the caller found no room. -CS_ENOMEM. No lock held. */
int percpu_chunk_grow(uint64_t seen) must_check;
/* Populates the blocks that the area [at, at+granules) lies in; -CS_ENOMEM. No lock held. */
int percpu_chunk_back(struct percpu_chunk *chunk, uint32_t at, uint32_t granules) must_check;
/* Whether so much is empty that it is time to give some back. The area lock is held. */
bool percpu_trim_is_due(void);
void percpu_trim_lazily(void);

static inline uint32_t percpu_block_mask(uint32_t at, uint32_t granules)
{
    uint32_t first = at / BLOCK_GRANULES, last = (at + granules - 1) / BLOCK_GRANULES;

    return (2u << last) - (1u << first);
}

static inline struct percpu_chunk *percpu_chunk_of(percpu_area_t area)
{
    uintptr_t number = area / PERCPU_UNIT_BYTES;

    return number < percpu_allocator.chunks_end ? percpu_allocator.chunk[number] : NULL;
}

#endif
