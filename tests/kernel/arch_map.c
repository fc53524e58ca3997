/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of arch_map() and arch_unmap(): what was taken back is forgotten by every CPU. */
#include <stdatomic.h>

#include <arch/mmu.h>

#include "core/pages.h"
#include "core/percpu.h"
#include "core/selftest.h"
#include "core/smp.h"

#define ALL_CPUS_MS 20000u

/* The last page of this CPU's unit: the area allocator does not get that far in a test. */
static uintptr_t unused_address(void)
{
    return percpu_base(0) + (PERCPU_STRIDE_BYTES & ~(uintptr_t)(ARCH_PAGE_BYTES - 1)) -
           ARCH_PAGE_BYTES;
}

struct expected {
    uint64_t word;
    _Atomic uint32_t wrong;
};

static void read_word(void *arg)
{
    struct expected *expected = arg;

    if (*(volatile uint64_t *)unused_address() != expected->word)
        atomic_fetch_add_explicit(&expected->wrong, 1, memory_order_relaxed);
}

static void expect_everywhere(struct ktest *t, uint64_t word)
{
    struct expected expected = {.word = word};

    ktest_run_all(t, read_word, &expected, ALL_CPUS_MS);
    EXPECT_EQ(t, atomic_load_explicit(&expected.wrong, memory_order_relaxed), 0);
}

static void unmapped_is_forgotten(struct ktest *t)
{
    struct page *pages[2] = {page_alloc(0, PAGE_ZERO), page_alloc(0, PAGE_ZERO)};

    for (uint64_t i = 0; i < 4; i++) {
        struct page *page = pages[i % 2];
        uint64_t *word = page ? page_to_virt(page) : NULL;

        if (!EXPECT(t, word != NULL))
            break;
        *word = i + 1;
        if (!EXPECT_EQ(t,
                       arch_map(unused_address(), page_to_pfn(page) << ARCH_PAGE_SHIFT,
                                ARCH_PAGE_BYTES, ARCH_MAP_RW),
                       0))
            break;
        expect_everywhere(t, i + 1);
        arch_unmap(unused_address(), ARCH_PAGE_BYTES);
    }
    for (unsigned i = 0; i < 2; i++)
        if (pages[i])
            page_free(pages[i], 0);
}
KTEST(arch_map, unmapped_is_forgotten, KTEST_QUICK);

/* Firmware's tables name addresses, and any number can be one. */
static void what_nobody_can_reach_has_no_window(struct ktest *t)
{
    EXPECT(t, !arch_map_device(UINT64_MAX - 2 * ARCH_PAGE_BYTES + 1, 64));
    EXPECT(t, !arch_map_memory(1ull << 56, 64));
    EXPECT(t, !arch_map_memory(UINT64_MAX, 2));
}
KTEST(arch_map, what_nobody_can_reach_has_no_window, KTEST_QUICK);
