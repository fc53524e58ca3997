/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map against a model by brute force: a small address space whose cells are looked at
 * one by one. Entries are random: unsorted, overlapping, empty, wrapping, with ends inside pages.
 */
#include "core/memory_map.h"

#include <arch/hooks.h>
#include <arch/mmu.h>

#include "core/pages.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"

#define CELL_BYTES 512u
#define PAGE_CELLS (ARCH_PAGE_BYTES / CELL_BYTES)
#define MODEL_PAGES 40u
#define MODEL_CELLS (MODEL_PAGES * PAGE_CELLS)
#define ENTRIES_MAX 24u
#define HOLES 2u
#define STRIDE 28u /* more than the struct has, and not a multiple of its alignment */

struct model {
    struct ktest *t;
    struct random random;
    unsigned char table[ENTRIES_MAX * STRIDE];
    struct boot_mem_range entry[ENTRIES_MAX];
    struct memory_hole hole[HOLES];
    struct memory_source source;
};

static bool covers(uint64_t base, uint64_t bytes, uint64_t at)
{
    return at >= base && at - base < bytes && base + bytes >= base;
}

/* An entry that wraps reaches to the end of the address space when it forbids, nowhere otherwise.
 */
static bool entry_covers(const struct boot_mem_range *e, uint64_t at)
{
    if (e->base + e->bytes < e->base)
        return e->type != BOOT_MEM_USABLE && at >= e->base;
    return covers(e->base, e->bytes, at);
}

static bool cell_usable(const struct model *m, uint64_t at)
{
    bool allowed = false;

    for (uint32_t i = 0; i < m->source.count; i++) {
        if (!entry_covers(&m->entry[i], at))
            continue;
        if (m->entry[i].type != BOOT_MEM_USABLE)
            return false;
        allowed = true;
    }
    for (uint32_t i = 0; i < HOLES; i++)
        if (covers(m->hole[i].base, m->hole[i].bytes, at))
            return false;
    return allowed;
}

static bool page_usable(const struct model *m, uint64_t page)
{
    for (uint32_t cell = 0; cell < PAGE_CELLS; cell++)
        if (!cell_usable(m, page * ARCH_PAGE_BYTES + cell * CELL_BYTES))
            return false;
    return true;
}

static void model_make(struct model *m)
{
    m->source = (struct memory_source){.entries = m->table,
                                       .count = random_below(&m->random, ENTRIES_MAX + 1),
                                       .stride = STRIDE,
                                       .holes = m->hole,
                                       .nr_holes = HOLES};
    for (uint32_t i = 0; i < m->source.count; i++) {
        struct boot_mem_range *e = &m->entry[i];

        e->base = (uint64_t)random_below(&m->random, MODEL_CELLS) * CELL_BYTES;
        e->bytes = (uint64_t)random_below(&m->random, MODEL_CELLS / 3) * CELL_BYTES;
        if (random_below(&m->random, 2))
            e->bytes = MIN(e->bytes, MODEL_PAGES * ARCH_PAGE_BYTES - e->base);
        if (e->base && random_below(&m->random, 16) == 0) /* wraps */
            e->bytes = UINT64_MAX - random_below(&m->random, 5);
        e->type = random_below(&m->random, 4) ? BOOT_MEM_USABLE : random_below(&m->random, 9);
        __builtin_memcpy(m->table + i * STRIDE, e, sizeof(*e));
    }
    for (uint32_t i = 0; i < HOLES; i++) {
        m->hole[i].base = (uint64_t)random_below(&m->random, MODEL_CELLS) * CELL_BYTES;
        m->hole[i].bytes = (uint64_t)random_below(&m->random, 9) * CELL_BYTES;
    }
}

/* The ranges cover exactly the model's pages, ascending, with a gap between any two. */
static void model_compare(struct model *m)
{
    uint64_t base = 0, bytes = 0, page = 0, end = 0;
    uint32_t ranges = 0;

    while (memory_source_next(&m->source, base + bytes, &base, &bytes) == 0) {
        EXPECT(m->t, bytes > 0 && base % ARCH_PAGE_BYTES == 0 && bytes % ARCH_PAGE_BYTES == 0);
        EXPECT(m->t, ranges == 0 || base > end);
        for (; page < base / ARCH_PAGE_BYTES; page++)
            EXPECT(m->t, !page_usable(m, page));
        for (; page < (base + bytes) / ARCH_PAGE_BYTES; page++)
            EXPECT(m->t, page_usable(m, page));
        end = base + bytes;
        if (++ranges > MODEL_CELLS)
            break; /* it does not end */
    }
    for (; page < 2 * MODEL_PAGES; page++)
        EXPECT(m->t, !page_usable(m, page));
}

static void random_maps_equal_the_model(struct ktest *t)
{
    struct model *m = kzalloc(sizeof(*m));

    if (!EXPECT(t, m != NULL))
        return;
    m->t = t;
    random_seed(&m->random, t->seed);
    for (uint32_t i = 0; i < (t->full ? 3000u : 150u) && !t->failures; i++) {
        model_make(m);
        model_compare(m);
    }
    kfree(m);
}
KTEST(memory_map, random_maps_equal_the_model, KTEST_QUICK);

/* Thousands of entries, alternating: every other page is usable. */
static void thousands_of_entries(struct ktest *t)
{
    uint32_t count = t->full ? 5000 : 200, ranges = 0;
    struct boot_mem_range *entries = kmalloc(count * sizeof(*entries));
    struct memory_source source = {.entries = entries, .count = count, .stride = sizeof(*entries)};
    uint64_t base = 0, bytes = 0;

    if (!EXPECT(t, entries != NULL))
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = (uint64_t)(count - i) * 2 * ARCH_PAGE_BYTES; /* descending */

        entries[i] = (struct boot_mem_range){at, ARCH_PAGE_BYTES, BOOT_MEM_USABLE, 0};
    }
    while (memory_source_next(&source, base + bytes, &base, &bytes) == 0) {
        EXPECT_EQ(t, base, (uint64_t)++ranges * 2 * ARCH_PAGE_BYTES);
        EXPECT_EQ(t, bytes, ARCH_PAGE_BYTES);
    }
    EXPECT_EQ(t, ranges, count);
    kfree(entries);
}
KTEST(memory_map, thousands_of_entries, KTEST_QUICK);

static void this_machine(struct ktest *t)
{
    uint64_t base, bytes, end = 0, sum = 0, image, image_bytes;
    struct pages_stats s;

    arch_kernel_image(&image, &image_bytes);
    for (uint32_t i = 0; memory_map_usable(i, &base, &bytes) == 0; i++) {
        EXPECT(t, base > end);
        EXPECT(t, base >= ARCH_PAGE_BYTES);
        EXPECT(t, base % ARCH_PAGE_BYTES == 0 && bytes && bytes % ARCH_PAGE_BYTES == 0);
        EXPECT(t, !image_bytes || base >= image + image_bytes || base + bytes <= image);
        end = base + bytes;
        sum += bytes;
    }
    EXPECT_EQ(t, memory_map_usable_bytes(), sum);
    pages_stats(&s);
    EXPECT(t, s.total_pages <= sum / ARCH_PAGE_BYTES);
    EXPECT(t, s.total_pages >= sum / ARCH_PAGE_BYTES / 10 * 9);
    EXPECT(t, hook_low_page() < 1ull << 20);
}
KTEST(memory_map, this_machine, KTEST_QUICK);
