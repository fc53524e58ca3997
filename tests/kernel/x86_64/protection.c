/* SPDX-License-Identifier: Apache-2.0 */
/* What the page tables of x86-64 must refuse (arch/x86_64/mmu.c, I1, I2, arch/bare/space.c,
 * I1), tried for real: each probe faults and goes on. */
#include <stdatomic.h>

#include <arch/mmu.h>

#include "arch/bare/probe.h"
#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"
#include "core/pages.h"
#include "core/percpu.h"
#include "core/selftest.h"
#include "core/smp.h"

#define RET 0xc3u
#define STACK_PAGES_MAX 64u
#define ALL_CPUS_MS 20000u

extern char text_start[], rodata_start[], ro_after_init_start[], boot_stack_guard[];
static const char constant[] = "constant";
static char variable[16];

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
    EXPECT(t, !probe_write8((uintptr_t)constant, 'C'));
    EXPECT_EQ(t, constant[0], 'c');
    EXPECT(t, !probe_write8((uintptr_t)percpu_image_start, 0));
    EXPECT(t, !probe_write8((uintptr_t)ro_after_init_start, 0)); /* the trap table */
    EXPECT(t, probe_write8((uintptr_t)variable, 1));
}
KTEST(x86_protection, text_is_read_only, KTEST_QUICK);

static void does_nothing(void)
{
}

/* A return instruction, where no instruction may be. */
static void data_is_not_executable(struct ktest *t)
{
    struct page *page = page_alloc(0, 0);
    uint8_t on_stack[16] = {RET};
    uint8_t *direct = page ? page_to_virt(page) : NULL;

    if (!x86_features.nx) {
        page_free(page, 0);
        ktest_skip(t, "the processor has no NX");
        return;
    }
    EXPECT(t, probe_call((uintptr_t)does_nothing));
    variable[0] = (char)RET;
    EXPECT(t, !probe_call((uintptr_t)variable));
    EXPECT(t, !probe_call((uintptr_t)on_stack));
    EXPECT(t, !probe_call((uintptr_t)this_cpu_ptr(x86_cpu_percpu)));
    EXPECT(t, !probe_call((uintptr_t)constant));
    if (EXPECT(t, direct != NULL)) {
        direct[0] = RET;
        EXPECT(t, !probe_call((uintptr_t)direct));
        page_free(page, 0);
    }
}
KTEST(x86_protection, data_is_not_executable, KTEST_QUICK);

/* A physical address taken for a virtual one faults, and so does one that is not canonical. */
static void low_half_is_empty(struct ktest *t)
{
    static const uintptr_t empty[] = {0,
                                      8,
                                      0x1000,
                                      0x8000,
                                      0x200000,
                                      0xfee00000,
                                      0x100000000,
                                      0x7ffffffffff8,
                                      1ull << 47,
                                      1ull << 63,
                                      0xffff800000000000};

    for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
        EXPECT(t, !readable(empty[i]));
        EXPECT(t, !probe_write8(empty[i], 0));
        EXPECT(t, !probe_call(empty[i]));
    }
}
KTEST(x86_protection, low_half_is_empty, KTEST_QUICK);

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

static void look_at_stacks(void *arg)
{
    bool ok = has_guard((uintptr_t)__builtin_frame_address(0));
    const struct x86_tss *tss = &x86_this_cpu()->tss;

    for (unsigned i = IST_NMI; i < IST_END; i++)
        ok &= readable(tss->ist[i] - 8) && readable(tss->ist[i] - IST_STACK_BYTES) &&
              !readable(tss->ist[i] - IST_STACK_BYTES - 8);
    if (!ok)
        atomic_fetch_add_explicit(&unguarded, 1, memory_order_relaxed);
}

static void stacks_have_guards(struct ktest *t)
{
    atomic_store_explicit(&unguarded, 0, memory_order_relaxed);
    EXPECT(t, !readable((uintptr_t)boot_stack_guard));
    ktest_run_all(t, look_at_stacks, NULL, ALL_CPUS_MS);
    EXPECT_EQ(t, atomic_load_explicit(&unguarded, memory_order_relaxed), 0);
}
KTEST(x86_protection, stacks_have_guards, KTEST_QUICK);

/* Emulators answer any number, so that a refusal cannot be asked for; the fixup is the same. */
static void registers_are_read(struct ktest *t)
{
    uint64_t value = 0;

    EXPECT(t, rdmsr_safe(MSR_GS_BASE, &value));
    EXPECT_EQ(t, value, this_cpu_base());
    EXPECT_EQ(t, rdmsr(MSR_EFER) & EFER_NXE, x86_features.nx ? EFER_NXE : 0);
}
KTEST(x86_protection, registers_are_read, KTEST_QUICK);
