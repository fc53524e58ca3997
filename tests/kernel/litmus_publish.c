/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Litmus test of a publication, in the two shapes that tests/kernel/litmus.c lacks: the flag's line
 * was its writer's alone before, or the writer reads another word of it right behind the release.
 * Whoever sees the flag sees the data.
 */
#include <stdatomic.h>

#include <arch/time.h>

#include "core/percpu.h"
#include "core/selftest.h"
#include "core/smp.h"
#include "core/string.h"
#include "core/wait.h"

#define ROUNDS 256u
#define LOOKS 10u
#define RUN_MS 60000u

struct slot {
    cacheline_aligned _Atomic uint32_t data;
    cacheline_aligned _Atomic uint32_t flag;
    _Atomic uint32_t beside;
};

struct publication {
    struct slot slot[ROUNDS];
    bool is_home; /* nobody else touches the flag's line before */
    uint32_t writer, reader;
    cacheline_aligned _Atomic uint32_t ready, other_ready, written;
    _Atomic uint32_t without_data;
};

static struct publication all[2];

static void wait_for_round(const _Atomic uint32_t *word, uint32_t round)
{
    while (atomic_load_explicit(word, memory_order_acquire) <= round)
        cpu_relax();
}

static void publish(struct publication *p, uint32_t i)
{
    struct slot *s = &p->slot[i];

    wait_for_round(&p->ready, i);
    wait_for_round(&p->other_ready, i);
    atomic_store_explicit(&s->data, 1, memory_order_relaxed);
    atomic_store_explicit(&s->flag, 1, memory_order_release);
    if (!p->is_home)
        (void)atomic_load_explicit(&s->beside, memory_order_relaxed);
    atomic_store_explicit(&p->written, i + 1, memory_order_release);
}

/* Two CPUs hold copies of the data, far and near: the store of it takes long to be seen. */
static void look(struct publication *p, uint32_t i, bool is_reader)
{
    struct slot *s = &p->slot[i];

    (void)atomic_load_explicit(&s->data, memory_order_relaxed);
    if (!p->is_home)
        (void)atomic_load_explicit(&s->flag, memory_order_relaxed);
    atomic_store_explicit(is_reader ? &p->ready : &p->other_ready, i + 1, memory_order_release);
    for (uint32_t wait = is_reader ? i % 100 : 0; wait > 0; wait--)
        (void)arch_stamp();
    for (uint32_t n = is_reader ? LOOKS : 0; n > 0; n--)
        if (atomic_load_explicit(&s->flag, memory_order_acquire) &&
            !atomic_load_explicit(&s->data, memory_order_relaxed))
            atomic_fetch_add_explicit(&p->without_data, 1, memory_order_relaxed);
    wait_for_round(&p->written, i);
}

static void take_part(void *arg)
{
    struct publication *p = arg;
    uint32_t me = this_cpu_id();

    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (me == p->writer)
            publish(p, i);
        else
            look(p, i, me == p->reader);
    }
}

static void run(struct ktest *t, struct publication *p, bool is_home)
{
    uint32_t cpus[3], count = 0;

    for (uint32_t cpu = 0; cpu < nr_cpus && count < 2; cpu++)
        if (cpumask_has(&cpus_online, cpu))
            cpus[count++] = cpu;
    for (uint32_t cpu = nr_cpus; cpu > 0 && count == 2 && cpu - 1 > cpus[1]; cpu--)
        if (cpumask_has(&cpus_online, cpu - 1))
            cpus[count++] = cpu - 1;
    if (count < 3 || wait_oversubscribed()) {
        ktest_skip(t, "needs three CPUs that run at once");
        return;
    }
    memset(p, 0, sizeof(*p));
    p->is_home = is_home;
    p->writer = cpus[0];
    p->reader = cpus[1];
    ktest_run_on(t, cpus, count, take_part, p, RUN_MS);
    EXPECT_EQ(t, atomic_load_explicit(&p->without_data, memory_order_relaxed), 0u);
}

static void flag_on_a_line_of_its_writers(struct ktest *t)
{
    run(t, &all[0], true);
}
KTEST(litmus, flag_on_a_line_of_its_writers, KTEST_QUICK);

static void neighbour_of_the_flag_is_read(struct ktest *t)
{
    run(t, &all[1], false);
}
KTEST(litmus, neighbour_of_the_flag_is_read, KTEST_QUICK);
