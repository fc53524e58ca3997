/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU areas: start-up, statistics, and the check of every invariant of
 * percpu_area_internal.h by counting again.
 */
#include "core/log.h"
#include "core/panic.h"
#include "core/percpu_area_internal.h"

void percpu_area_init(uint32_t cpus, size_t first_used_bytes)
{
    struct percpu_allocator *a = &percpu_allocator;
    size_t table_bytes = ALIGN_UP(CHUNK_COUNT_MAX * sizeof(*a->chunk), (size_t)ARCH_PAGE_BYTES);
    struct percpu_request used = {
        .granules = (uint32_t)ALIGN_UP(first_used_bytes, (size_t)GRANULE_BYTES) / GRANULE_BYTES,
        .align = 1,
    };

    a->cpus = cpus;
    for (uint32_t slot = 0; slot < SLOT_NONE; slot++)
        list_init(&a->slot[slot]);
    a->chunk = percpu_hook_alloc(table_bytes);
    if (first_used_bytes > PERCPU_UNIT_BYTES || !a->chunk || percpu_chunk_grow(0))
        panic("no per-CPU chunk 0 for %zu static bytes", first_used_bytes);
    a->stats.bytes_metadata += table_bytes;
    percpu_chunk_mark(a->chunk[0], 0, &used);
    a->chunk[0]->words[0].start = 0; /* no area: it cannot be freed */
    a->static_granules = used.granules;
    a->stats.pages_populated = (used.granules + BLOCK_GRANULES - 1) / BLOCK_GRANULES;
    atomic_store_explicit(&a->chunk[0]->populated, percpu_block_mask(0, used.granules),
                          memory_order_release);
}

/* What the hot path does not count follows from what it does. The area lock is held. */
static void stats_derive(struct percpu_stats *out)
{
    const struct percpu_allocator *a = &percpu_allocator;
    uint64_t granules = 0;

    for (uint32_t number = 0; number < a->chunks_end; number++)
        if (a->chunk[number])
            granules += CHUNK_GRANULES - a->chunk[number]->free;
    *out = a->stats;
    out->allocs = a->taken;
    out->frees = a->given;
    out->areas_live = a->taken - a->given;
    out->bytes_live = (granules - a->static_granules) * GRANULE_BYTES;
    out->bytes_wasted = a->slack + out->areas_live * PERCPU_REDZONE_BYTES;
    out->bytes_requested = out->bytes_live - out->bytes_wasted;
}

/* Both locks: pages that trimming holds would count as live. */
void percpu_area_stats(struct percpu_stats *out)
{
    unsigned long pages_state = spin_lock_irqsave(&percpu_pages_lock);
    unsigned long state = spin_lock_irqsave(&percpu_area_lock);

    stats_derive(out);
    spin_unlock_irqrestore(&percpu_area_lock, state);
    spin_unlock_irqrestore(&percpu_pages_lock, pages_state);
}

void percpu_area_report(void)
{
    struct percpu_stats s;

    percpu_area_stats(&s);
    log_line(
        "per-CPU areas: %llu live, %llu bytes of %llu requested, %llu chunks, %llu pages a CPU",
        (unsigned long long)s.areas_live, (unsigned long long)s.bytes_live,
        (unsigned long long)s.bytes_requested, (unsigned long long)s.chunks,
        (unsigned long long)s.pages_populated);
    log_line(
        "per-CPU areas: %llu allocs, %llu frees, %llu failures, %llu bad frees, %llu lock holds,"
        " %llu bytes of metadata",
        (unsigned long long)s.allocs, (unsigned long long)s.frees, (unsigned long long)s.failures,
        (unsigned long long)s.bad_frees, (unsigned long long)s.lock_holds,
        (unsigned long long)s.bytes_metadata);
}

/* --- the check --- */

#define FINDINGS_KEPT 8u

struct check {
    struct percpu_stats seen;
    uint32_t pages_empty, chunks_empty;
    unsigned findings;
    struct {
        const char *what;
        uint32_t chunk, at;
    } finding[FINDINGS_KEPT]; /* printed when the lock is released */
};

static void check_that(struct check *c, bool ok, const char *what, uint32_t chunk, uint32_t at)
{
    if (ok)
        return;
    if (c->findings < FINDINGS_KEPT) {
        c->finding[c->findings].what = what;
        c->finding[c->findings].chunk = chunk;
        c->finding[c->findings].at = at;
    }
    c->findings++;
}

static bool granule_live(const struct percpu_chunk *chunk, uint32_t g)
{
    return chunk->words[g / WORD_GRANULES].live >> (g % WORD_GRANULES) & 1;
}

/* Runs and sums of one block against its hints: I4, I5, I6. *run carries the free run that reaches
 * the block's beginning in, and the one that reaches its end out. */
static uint32_t check_block(struct check *c, const struct percpu_chunk *chunk, uint32_t b,
                            uint32_t *run, uint32_t *chunk_longest)
{
    const struct percpu_block *block = &chunk->block[b];
    uint32_t free = 0, inside = 0, longest = 0, first_free = BLOCK_GRANULES;

    for (uint32_t i = 0; i < BLOCK_GRANULES; i++) {
        bool live = granule_live(chunk, b * BLOCK_GRANULES + i);

        inside = live ? 0 : inside + 1;
        *run = live ? 0 : *run + 1;
        longest = MAX(longest, inside);
        *chunk_longest = MAX(*chunk_longest, *run);
        if (!live && !free++)
            first_free = i;
    }
    check_that(c, block->free == free, "I4: block.free", chunk->number, b);
    check_that(c, block->longest >= longest, "I5: block.longest", chunk->number, b);
    check_that(c, block->first_word * WORD_GRANULES <= first_free, "I6: first_word", chunk->number,
               b);
    check_that(c, !free || chunk->first_block <= b, "I6: first_block", chunk->number, b);
    if (free == BLOCK_GRANULES)
        c->pages_empty += atomic_load_explicit(&chunk->populated, memory_order_relaxed) >> b & 1;
    return free;
}

/* Every area of the chunk against the statistics: I1, I2, I3. */
static void check_areas(struct check *c, const struct percpu_chunk *chunk)
{
    for (uint32_t g = 0; g < CHUNK_GRANULES; g++) {
        const struct percpu_word *w = &chunk->words[g / WORD_GRANULES];
        uint64_t bit = 1ull << (g % WORD_GRANULES);
        uint32_t granules;

        check_that(c, !(w->start & ~w->live), "I2: start of nothing", chunk->number, g);
        check_that(c, !((w->slack1 | w->slack2) & ~w->start), "I3: slack of nothing", chunk->number,
                   g);
        if (!(w->start & bit))
            continue;
        granules = percpu_chunk_area_granules(chunk, g);
        c->seen.areas_live++;
        c->seen.bytes_live += granules * GRANULE_BYTES;
        c->seen.bytes_requested +=
            granules * GRANULE_BYTES - PERCPU_REDZONE_BYTES - percpu_word_slack(w, bit);
    }
}

static void check_chunk(struct check *c, const struct percpu_chunk *chunk, uint32_t number)
{
    uint32_t free = 0, run = 0, longest = 0, slot;

    check_that(c, chunk->number == number, "chunk number", number, 0);
    for (uint32_t b = 0; b < CHUNK_BLOCKS; b++)
        free += check_block(c, chunk, b, &run, &longest);
    check_areas(c, chunk);
    check_that(c, chunk->free == free, "I4: chunk.free", number, 0);
    check_that(c, chunk->longest >= longest, "I5: chunk.longest", number, 0);
    slot = chunk->longest ? 31u - (uint32_t)__builtin_clz(chunk->longest) : SLOT_NONE;
    if (free == CHUNK_GRANULES)
        slot = SLOT_WHOLLY_FREE;
    check_that(c, chunk->slot == slot, "I7: slot", number, 0);
    c->chunks_empty += free == CHUNK_GRANULES;
    c->seen.chunks++;
    c->seen.pages_populated +=
        (unsigned)__builtin_popcount(atomic_load_explicit(&chunk->populated, memory_order_relaxed));
}

static void check_totals(struct check *c)
{
    struct percpu_stats s;

    stats_derive(&s);
    check_that(c, c->seen.areas_live == s.areas_live, "areas_live", 0, 0);
    check_that(c, c->seen.bytes_live == s.bytes_live, "bytes_live", 0, 0);
    check_that(c, c->seen.bytes_requested == s.bytes_requested, "bytes_requested", 0, 0);
    check_that(c, c->seen.chunks == s.chunks, "chunks", 0, 0);
    check_that(c, c->seen.pages_populated == s.pages_populated, "pages_populated", 0, 0);
    check_that(c, c->pages_empty == percpu_allocator.pages_empty, "pages_empty", 0, 0);
    check_that(c, c->chunks_empty == percpu_allocator.chunks_empty, "chunks_empty", 0, 0);
}

/* Both locks: nothing is being trimmed, so that no block is held (I1). */
unsigned percpu_area_check(void)
{
    struct check c = {0};
    unsigned long pages_state = spin_lock_irqsave(&percpu_pages_lock);
    unsigned long state = spin_lock_irqsave(&percpu_area_lock);

    for (uint32_t number = 0; number < percpu_allocator.chunks_end; number++)
        if (percpu_allocator.chunk[number])
            check_chunk(&c, percpu_allocator.chunk[number], number);
    check_totals(&c);
    spin_unlock_irqrestore(&percpu_area_lock, state);
    spin_unlock_irqrestore(&percpu_pages_lock, pages_state);

    for (unsigned i = 0; i < MIN(c.findings, FINDINGS_KEPT); i++)
        log_line("per-CPU areas: wrong: %s, chunk %u, at %u", c.finding[i].what, c.finding[i].chunk,
                 c.finding[i].at);
    return c.findings;
}
