/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: allocation and freeing, mode `locked`: one global lock, the way Linux does it, so
 * that its cost is visible (percpu_area_internal.h has picture, invariants and lock order).
 *
 *   alloc   lock; smallest chunk slot that fits; bitmap; unlock; pages, if any is missing; zero
 *   free    lock; the start bit says whether this is an area; bitmap; unlock; trim, if it is time
 *
 * Cost: the lock's line, the chunk's two lines of hints, half a line of bitmaps, the allocator's
 * statistics; then one line a CPU for the zeroing.
 */
#include "core/errno.h"
#include "core/memory_bug.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/percpu_area_bits.h"
#include "core/percpu_area_internal.h"
#include "core/percpu_area_zero.h"
#include "core/selftest.h"

LOCK_CLASS(percpu_area_class, "percpu area allocator"); /* inside "percpu area pages"; innermost */
SPINLOCK_STATIC(percpu_area_lock, percpu_area_class);

struct percpu_allocator percpu_allocator;

/* Chunks of one slot that are tried before the next: bounds what alignments that do not fit cost. */
#define SLOT_LOOKS 8u

static inline unsigned long area_lock(void)
{
    unsigned long state = spin_lock_irqsave(&percpu_area_lock);

    percpu_allocator.stats.lock_holds++;
    return state;
}

static always_inline bool request_make(size_t bytes, size_t align, struct percpu_request *req)
{
    uint32_t granules;

    if (unlikely(bytes - 1 >= PERCPU_AREA_MAX_BYTES || align > ARCH_PAGE_BYTES ||
                 (align & (align - 1)))) {
        memory_bug("percpu area allocator", "impossible size or alignment", bytes);
        return false;
    }
    granules = ((uint32_t)bytes + GRANULE_BYTES - 1) / GRANULE_BYTES;
    req->slack = granules * GRANULE_BYTES - (uint32_t)bytes;
    req->granules = granules + PERCPU_REDZONE_BYTES / GRANULE_BYTES;
    req->align = align <= GRANULE_BYTES ? 1 : (uint32_t)align / GRANULE_BYTES;
    return true;
}

/* --- under the lock --- */

/* A look at the first word of the chunk that is not full, where a counter mostly fits. */
static always_inline uint32_t find_at_first_word(const struct percpu_chunk *chunk,
                                                 const struct percpu_request *req)
{
    uint32_t b = chunk->first_block, i;
    uint64_t run;

    if (unlikely(req->granules > 4 || req->align > 1 || b >= CHUNK_BLOCKS))
        return UINT32_MAX;
    i = b * BLOCK_WORDS + chunk->block[b].first_word;
    run = ~chunk->words[i].live;
    for (uint32_t n = req->granules; n > 1; n--)
        run &= run >> 1;
    return likely(run) ? i * WORD_GRANULES + (uint32_t)__builtin_ctzll(run) : UINT32_MAX;
}

/* The chunk with the smallest longest run that fits (I7). Looks at most at SLOT_LOOKS chunks a
 * slot, so the cost is bounded whatever the number of chunks; passing over a chunk that would have
 * fitted costs packing, never success. */
static always_inline struct percpu_chunk *pick(const struct percpu_request *req, uint32_t *at)
{
    struct percpu_allocator *a = &percpu_allocator;
    uint32_t slots = a->slots_used & ~0u << (31 - __builtin_clz(req->granules));

    for (; slots; slots &= slots - 1) {
        struct list *head = &a->slot[__builtin_ctz(slots)], *l, *next;
        uint32_t looks = 0;

        for (l = head->next; l != head && looks < SLOT_LOOKS; l = next, looks++) {
            struct percpu_chunk *chunk = LIST_ENTRY(l, struct percpu_chunk, slot_link);

            next = l->next;
            if (chunk->longest < req->granules)
                continue;
            *at = find_at_first_word(chunk, req);
            if (unlikely(*at == UINT32_MAX))
                *at = percpu_chunk_find(chunk, req);
            if (likely(*at != UINT32_MAX))
                return chunk;
            percpu_chunk_place(chunk); /* the search has lowered its hint */
        }
    }
    return NULL;
}

/* Takes one area; 0 when no chunk has room. *backed is cleared when pages are missing. */
static always_inline percpu_area_t take(const struct percpu_request *req, bool *backed)
{
    uint32_t at, pages;
    struct percpu_chunk *chunk = pick(req, &at);

    if (unlikely(!chunk))
        return 0;
    percpu_mark_here(chunk, at, req);
    percpu_allocator.taken++;
    percpu_allocator.slack += req->slack;
    pages = percpu_block_mask(at, req->granules);
    if (unlikely(pages & ~atomic_load_explicit(&chunk->populated, memory_order_acquire)))
        *backed = false;
    return (percpu_area_t)chunk->number * PERCPU_UNIT_BYTES + at * GRANULE_BYTES;
}

static const char *redzone_bug(const struct percpu_chunk *chunk, percpu_area_t area, uint32_t at)
{
    uint32_t end = percpu_chunk_area_granules(chunk, at) * GRANULE_BYTES;
    uint32_t slack =
        percpu_word_slack(&chunk->words[at / WORD_GRANULES], 1ull << (at % WORD_GRANULES));

    return percpu_redzone_check(area, end - PERCPU_REDZONE_BYTES - slack, end,
                                percpu_allocator.cpus);
}

/* Gives one area back; NULL, or what is wrong with it. */
static always_inline const char *give(percpu_area_t area)
{
    struct percpu_chunk *chunk = percpu_chunk_of(area);
    uint32_t at = area % PERCPU_UNIT_BYTES / GRANULE_BYTES;
    uint64_t first = 1ull << (at % WORD_GRANULES);
    const struct percpu_word *w;
    const char *bug = NULL;

    if (unlikely(!chunk))
        return "free of a foreign area";
    if (unlikely(area % GRANULE_BYTES))
        return "free of a misaligned area";
    w = &chunk->words[at / WORD_GRANULES];
    if (unlikely(!(w->start & first)) || percpu_is_held(chunk, at))
        return w->live & first && !percpu_is_held(chunk, at) ? "free of the middle of an area"
                                                             : "double free of an area";
    if (CORESTORM_DEBUG)
        bug = redzone_bug(chunk, area, at);
    percpu_allocator.slack -= percpu_unmark_here(chunk, at);
    percpu_allocator.given++;
    return bug;
}

/* --- outside it --- */

static noinline bool back(percpu_area_t area, uint32_t granules)
{
    /* The area is ours: its chunk cannot go away, and the table entry does not change. */
    struct percpu_chunk *chunk = percpu_allocator.chunk[area / PERCPU_UNIT_BYTES];

    return percpu_chunk_back(chunk, area % PERCPU_UNIT_BYTES / GRANULE_BYTES, granules) == 0;
}

static always_inline void prepare(percpu_area_t area, size_t bytes,
                                  const struct percpu_request *req)
{
    percpu_zero(area, bytes, percpu_allocator.cpus);
    if (CORESTORM_DEBUG)
        percpu_redzone_fill(area, bytes, req->granules * GRANULE_BYTES, percpu_allocator.cpus);
}

/* Takes back what a failing allocation had taken: no free in the statistics. */
static noinline void fail(const percpu_area_t *areas, unsigned count)
{
    struct percpu_allocator *a = &percpu_allocator;
    unsigned long state = area_lock();

    for (unsigned i = 0; i < count; i++) {
        uint32_t at = areas[i] % PERCPU_UNIT_BYTES / GRANULE_BYTES;

        a->slack -= percpu_chunk_unmark(percpu_chunk_of(areas[i]), at);
        a->taken--;
    }
    a->stats.failures++;
    spin_unlock_irqrestore(&percpu_area_lock, state);
}

percpu_area_t percpu_area_alloc(size_t bytes, size_t align)
{
    struct percpu_request req;
    percpu_area_t area;
    bool backed = true;
    unsigned long state;
    uint64_t seen;

    if (unlikely(!request_make(bytes, align, &req)))
        return 0;
    if (unlikely(fail_injection_hit())) {
        fail(NULL, 0);
        return 0;
    }
    for (;;) {
        state = area_lock();
        area = take(&req, &backed);
        seen = percpu_allocator.grown;
        spin_unlock_irqrestore(&percpu_area_lock, state);
        if (likely(area))
            break;
        if (percpu_chunk_grow(seen)) {
            fail(NULL, 0);
            return 0;
        }
    }
    if (unlikely(!backed) && !back(area, req.granules)) {
        fail(&area, 1);
        return 0;
    }
    prepare(area, bytes, &req);
    return area;
}

percpu_area_t percpu_area_alloc_group(size_t bytes, size_t align, unsigned count)
{
    size_t total;

    if (unlikely(!bytes || !count ||
                 __builtin_mul_overflow(percpu_slice_bytes(bytes, align), (size_t)count, &total)))
        total = 0; /* refused, with a warning, as any impossible size */
    return percpu_area_alloc(total, align);
}

/* As many of the areas as fit now, under one hold of the lock; returns how many. */
static unsigned take_many(percpu_area_t *areas, unsigned count, const struct percpu_request *req,
                          bool *backed, uint64_t *seen)
{
    unsigned long state = area_lock();
    unsigned done = 0;

    while (done < count) {
        areas[done] = take(req, backed);
        if (!areas[done])
            break;
        done++;
    }
    *seen = percpu_allocator.grown;
    spin_unlock_irqrestore(&percpu_area_lock, state);
    return done;
}

static bool back_many(const percpu_area_t *areas, unsigned count, uint32_t granules)
{
    for (unsigned i = 0; i < count; i++)
        if (!back(areas[i], granules))
            return false;
    return true;
}

int percpu_area_alloc_many(percpu_area_t *areas, unsigned count, size_t bytes, size_t align)
{
    struct percpu_request req;
    unsigned done = 0;
    bool backed = true, ok;
    uint64_t seen;

    for (unsigned i = 0; i < count; i++)
        areas[i] = 0;
    if (unlikely(!request_make(bytes, align, &req)))
        return -CS_ENOMEM;
    ok = !fail_injection_hit();
    while (ok && (done += take_many(areas + done, count - done, &req, &backed, &seen)) < count)
        ok = percpu_chunk_grow(seen) == 0;
    if (unlikely(!ok) || unlikely(!backed && !back_many(areas, count, req.granules))) {
        fail(areas, done);
        for (unsigned i = 0; i < done; i++)
            areas[i] = 0;
        return -CS_ENOMEM;
    }
    for (unsigned i = 0; i < count; i++)
        prepare(areas[i], bytes, &req);
    return 0;
}

static noinline void report_bad_free(const char *what, percpu_area_t area)
{
    unsigned long state = area_lock();

    percpu_allocator.stats.bad_frees++;
    spin_unlock_irqrestore(&percpu_area_lock, state);
    memory_bug("percpu area allocator", what, area);
}

void percpu_area_free(percpu_area_t area)
{
    unsigned long state;
    const char *bug;
    bool trim;

    if (!area)
        return;
    state = area_lock();
    bug = give(area);
    trim = percpu_trim_is_due();
    spin_unlock_irqrestore(&percpu_area_lock, state);
    if (unlikely(bug))
        report_bad_free(bug, area);
    if (unlikely(trim))
        percpu_trim_lazily();
}

void percpu_area_free_many(percpu_area_t *areas, unsigned count)
{
    unsigned long state = area_lock();
    const char *bug = NULL, *found;
    percpu_area_t bad = 0;
    bool trim;

    for (unsigned i = 0; i < count; i++) {
        found = areas[i] ? give(areas[i]) : NULL;
        if (unlikely(found)) {
            bug = found;
            bad = areas[i];
        }
        areas[i] = 0;
    }
    trim = percpu_trim_is_due();
    spin_unlock_irqrestore(&percpu_area_lock, state);
    if (unlikely(bug))
        report_bad_free(bug, bad);
    if (unlikely(trim))
        percpu_trim_lazily();
}
