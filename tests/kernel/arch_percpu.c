/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of arch/percpu.h and arch/irq.h, the same in every port. */
#include <stdatomic.h>

#include <arch/irq.h>
#include <arch/machine.h>
#include <arch/time.h>

#include "core/percpu.h"
#include "core/selftest.h"
#include "core/smp.h"

#define ROUNDS 1000u
#define ALL_CPUS_MS 20000u

/* Each word between two that must stay as they are. */
#define GUARDED(name, type)                                                                        \
    static PERCPU_STATIC struct {                                                                  \
        type before, word, after;                                                                  \
    } name##_guarded

GUARDED(s8, int8_t);
GUARDED(s32, int32_t);
GUARDED(u64, uint64_t);

static PERCPU_STATIC int32_t with_first_value = 4711;

#define AREA(name) (percpu_area_of(name##_guarded) + offsetof(__typeof__(name##_guarded), word))

/* All operations of one width: every pair of `values` is stored, added, exchanged. */
#define TEST_OPS(name, type, min, max)                                                             \
    static void name##_operations(struct ktest *t)                                                 \
    {                                                                                              \
        static const type values[] = {0, 1, 7, (type)-1, min, max, (min) + 1, (max) / 2};          \
        volatile __typeof__(name##_guarded) *here = this_cpu_ptr(name##_guarded);                  \
        percpu_area_t area = AREA(name);                                                           \
                                                                                                   \
        here->before = (type)-1;                                                                   \
        here->after = (type)-1;                                                                    \
        for (size_t i = 0; i < ARRAY_LEN(values) * ARRAY_LEN(values); i++) {                       \
            type a = values[i / ARRAY_LEN(values)], b = values[i % ARRAY_LEN(values)], old = b;    \
                                                                                                   \
            this_cpu_write_##name(area, a);                                                        \
            EXPECT_EQ(t, here->word, a);                                                           \
            EXPECT_EQ(t, this_cpu_try_cmpxchg_##name(area, &old, (type)(a ^ 1)), a == b);          \
            EXPECT_EQ(t, old, a); /* as it was, or as it is */                                     \
            EXPECT_EQ(t, here->word, a == b ? (type)(a ^ 1) : a);                                  \
            here->word = a;                                                                        \
            EXPECT_EQ(t, this_cpu_read_##name(area), a);                                           \
            this_cpu_add_##name(area, b);                                                          \
            EXPECT_EQ(t, here->word, (type)((uint64_t)a + (uint64_t)b));                           \
        }                                                                                          \
        EXPECT_EQ(t, here->before, (type)-1);                                                      \
        EXPECT_EQ(t, here->after, (type)-1);                                                       \
    }                                                                                              \
    KTEST(arch_percpu, name##_operations, KTEST_QUICK)

TEST_OPS(s8, int8_t, INT8_MIN, INT8_MAX);
TEST_OPS(s32, int32_t, INT32_MIN, INT32_MAX);
TEST_OPS(u64, uint64_t, 0, UINT64_MAX);

static void units_are_affine(struct ktest *t)
{
    for (uint32_t cpu = 0; cpu < 4096; cpu += 1 + cpu / 2)
        EXPECT_EQ(t, percpu_base(cpu), percpu_base(0) + cpu * PERCPU_STRIDE_BYTES);
    EXPECT_EQ(t, this_cpu_base(), percpu_base(this_cpu_id()));
    EXPECT_EQ(t, this_cpu_base() % 64, 0);
    EXPECT(t, AREA(s8) >= PERCPU_HEAD_BYTES);
    EXPECT(t, AREA(s8) < PERCPU_STRIDE_BYTES);
}
KTEST(arch_percpu, units_are_affine, KTEST_QUICK);

/* One that got its unit from another's, or the same number twice, shows in the words of others. */
static _Atomic uint32_t wrong_cpus;

static void fill_own_words(void *arg)
{
    uint32_t id = this_cpu_id();

    if (this_cpu_base() != percpu_base(id) || *this_cpu_ptr(with_first_value) != 4711)
        atomic_fetch_add_explicit(&wrong_cpus, 1, memory_order_relaxed);
    this_cpu_write_s32(AREA(s32), 0);
    for (uint32_t i = 0; i < ROUNDS; i++)
        this_cpu_add_s32(AREA(s32), (int32_t)id + 1);
}

static void cpus_have_their_own(struct ktest *t)
{
    atomic_store_explicit(&wrong_cpus, 0, memory_order_relaxed);
    ktest_run_all(t, fill_own_words, NULL, ALL_CPUS_MS);
    EXPECT_EQ(t, atomic_load_explicit(&wrong_cpus, memory_order_relaxed), 0);
    for (CPUMASK_EACH(&cpus_online, cpu))
        EXPECT_EQ(t, per_cpu_ptr(s32_guarded, cpu)->word, ROUNDS * (cpu + 1));
}
KTEST(arch_percpu, cpus_have_their_own, KTEST_QUICK);

static void irq_states_nest(struct ktest *t)
{
    bool at_first = irqs_enabled();
    unsigned long outer = irq_save(), inner;

    EXPECT(t, !irqs_enabled());
    inner = irq_save();
    irq_restore(inner);
    EXPECT(t, !irqs_enabled());
    irq_restore(outer);
    EXPECT_EQ(t, irqs_enabled(), at_first);
}
KTEST(arch_irq, irq_states_nest, KTEST_QUICK);

static void stamps_go_forward(struct ktest *t)
{
    uint64_t first = arch_stamp(), last = first;
    bool backwards = false;

    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint64_t now = arch_stamp();

        backwards |= now < last;
        last = now;
    }
    EXPECT(t, !backwards);
    EXPECT(t, last > first);
}
KTEST(arch_time, stamps_go_forward, KTEST_QUICK);

/* A frame chain that is broken ends the backtrace, and nothing else. */
static void backtrace_survives_rubbish(struct ktest *t)
{
    uintptr_t pcs[8], loop[2] = {(uintptr_t)loop, (uintptr_t)backtrace_survives_rubbish};
    static const uintptr_t rubbish[] = {
        1, 8, 4096, (uintptr_t)1 << 47, (uintptr_t)0 - 16, (uintptr_t)0xdeadbeefdeadbee8};

    for (size_t i = 0; i < ARRAY_LEN(rubbish); i++)
        EXPECT_EQ(t, arch_backtrace(rubbish[i], pcs, ARRAY_LEN(pcs)), 0);
    EXPECT(t, arch_backtrace((uintptr_t)loop, pcs, ARRAY_LEN(pcs)) <= 1);
    EXPECT(t, arch_backtrace(0, pcs, ARRAY_LEN(pcs)) <= ARRAY_LEN(pcs));
}
KTEST(arch_machine, backtrace_survives_rubbish, KTEST_QUICK);
