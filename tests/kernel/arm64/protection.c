/* SPDX-License-Identifier: Apache-2.0 */
/* What the page tables of arm64 must refuse (arch/arm64/mmu.c, I1, I2, arch/bare/space.c, I1),
 * tried for real: each probe faults and goes on. */
#include <stdatomic.h>

#include <arch/mmu.h>

#include "arch/arm64/arm64.h"
#include "arch/arm64/early.inc"
#include "arch/bare/probe.h"
#include "core/pages.h"
#include "core/percpu.h"
#include "core/selftest.h"
#include "core/smp.h"

#define RET 0xd65f03c0u
#define STACK_PAGES_MAX 64u
#define ALL_CPUS_MS 20000u

extern char text_start[], rodata_start[], boot_stack_guard[];
static const uint32_t constant = RET;
static uint32_t variable;

static bool readable(uintptr_t va)
{
    uint64_t value;

    return probe_read64(va, &value);
}

static void text_is_read_only(struct ktest *t)
{
    EXPECT(t, readable((uintptr_t)text_start));
    EXPECT(t, !probe_write8((uintptr_t)text_start, 0));
    EXPECT(t, !probe_write8((uintptr_t)text_is_read_only, 0));
    EXPECT(t, !probe_write8((uintptr_t)rodata_start - 1, 0));
    EXPECT(t, !probe_write8((uintptr_t)&constant, 0));
    EXPECT(t, !probe_write8((uintptr_t)percpu_image_start, 0));
    EXPECT(t, probe_write8((uintptr_t)&variable, 1));
}
KTEST(arm64_protection, text_is_read_only, KTEST_QUICK);

static void does_nothing(void)
{
}

/* A return instruction, where no instruction may be. */
static void data_is_not_executable(struct ktest *t)
{
    struct page *page = page_alloc(0, 0);
    volatile uint32_t on_stack = RET;
    uint32_t *direct = page ? page_to_virt(page) : NULL;

    EXPECT(t, probe_call((uintptr_t)does_nothing));
    variable = RET;
    EXPECT(t, !probe_call((uintptr_t)&variable));
    EXPECT(t, !probe_call((uintptr_t)&on_stack));
    EXPECT(t, !probe_call((uintptr_t)this_cpu_ptr(arm64_cpu_percpu)));
    EXPECT(t, !probe_call((uintptr_t)&constant));
    if (EXPECT(t, direct != NULL)) {
        direct[0] = RET;
        EXPECT(t, !probe_call((uintptr_t)direct));
        page_free(page, 0);
    }
}
KTEST(arm64_protection, data_is_not_executable, KTEST_QUICK);

/* A physical address taken for a virtual one faults, and so does one that no half has. */
static void low_half_is_empty(struct ktest *t)
{
    const uintptr_t empty[] = {
        0,          8,          0x1000,     0x9000000,  arm64_image_phys(text_start),
        1ull << 32, 1ull << 47, 1ull << 48, 1ull << 63, 0xfffeffffffffff00};

    for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
        EXPECT(t, !readable(empty[i]));
        EXPECT(t, !probe_write8(empty[i], 0));
        EXPECT(t, !probe_call(empty[i]));
    }
}
KTEST(arm64_protection, low_half_is_empty, KTEST_QUICK);

/* Down from here, page by page, until nothing is mapped: the guard. */
static bool has_guard(uintptr_t in_stack)
{
    uintptr_t page = in_stack & ~(uintptr_t)(ARCH_PAGE_BYTES - 1);

    for (unsigned i = 0; i < STACK_PAGES_MAX; i++, page -= ARCH_PAGE_BYTES)
        if (!readable(page))
            return true;
    return false;
}

static _Atomic uint32_t unguarded;

/* The exception stack's top is known only for started CPUs; SP_EL1 is not to be read at EL1. */
static void look_at_stacks(void *arg)
{
    uintptr_t exception_stack = arm64_this_cpu()->exception_stack_top;

    if (!has_guard((uintptr_t)__builtin_frame_address(0)) || !exception_stack ||
        !readable(exception_stack - 8) || !has_guard(exception_stack - 8) ||
        !(READ_SYSREG(sctlr_el1) & SCTLR_WXN))
        atomic_fetch_add_explicit(&unguarded, 1, memory_order_relaxed);
}

static void stacks_have_guards(struct ktest *t)
{
    atomic_store_explicit(&unguarded, 0, memory_order_relaxed);
    EXPECT(t, !readable((uintptr_t)boot_stack_guard));
    ktest_run_all(t, look_at_stacks, NULL, ALL_CPUS_MS);
    EXPECT_EQ(t, atomic_load_explicit(&unguarded, memory_order_relaxed), 0);
}
KTEST(arm64_protection, stacks_have_guards, KTEST_QUICK);
