/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "baseline": what the other numbers are made of.
 *
 *   op=empty           the loop alone: what every other number contains (shown, never subtracted)
 *   op=this_cpu_add    an addition to this CPU's own copy, one instruction where there is one
 *   op=atomic_private  an atomic addition to a line that nobody else uses
 *   op=atomic_shared   … to one that all CPUs use
 *   pair=a,b           one cache line handed to and fro between two CPUs: there and back (the
 *                      matrix shows half of it, one way)
 *
 * Pairs are taken among the first MATRIX_MAX_CPUS CPUs, in the quick suite the first 4.
 */
#include "bench/matrix.h"
#include "bench/storm.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/percpu.h"
#include "core/slab.h"
#include "core/wait.h"

#define SPINS_BEFORE_WAIT 256u

enum baseline_op { OP_EMPTY, OP_THIS_CPU, OP_PRIVATE, OP_SHARED, OP_PAIR };

/* The word that is added to or handed over, on lines that no other data is near. */
struct baseline_word {
    union {
        _Atomic uint64_t count;
        _Atomic uint32_t turn; /* whose: the low bit is the index of the CPU that may take it */
    };
    uint8_t pad[2 * CACHE_LINE_BYTES - sizeof(uint64_t)];
};

struct baseline_cpu {
    struct baseline_word word;
    uint64_t ops;
};

static PERCPU_STATIC uint64_t baseline_percpu;

static int baseline_setup(struct storm_run *run)
{
    run->shared = kzalloc(sizeof(struct baseline_word));
    return run->shared ? 0 : -CS_ENOMEM;
}

static int baseline_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct baseline_cpu *cpu = kzalloc(sizeof(*cpu));

    if (!cpu)
        return -CS_ENOMEM;
    me->private = cpu;
    this_cpu_write_u64(percpu_area_of(baseline_percpu), 0);
    return 0;
}

static void loop_empty(uint64_t n)
{
    do
        __asm__ volatile("" : "+r"(n)); /* the compiler may not count it away */
    while (--n);
}

static void loop_this_cpu(uint64_t n)
{
    const percpu_area_t area = percpu_area_of(baseline_percpu);

    do
        this_cpu_add_u64(area, 1);
    while (--n);
}

static void loop_atomic(struct baseline_word *word, uint64_t n)
{
    do /* relaxed: the cost of the operation itself, no order is needed */
        atomic_fetch_add_explicit(&word->count, 1, memory_order_relaxed);
    while (--n);
}

/* Waits until the line is this CPU's to take; false once everybody has closed its window. */
static bool take_turn(struct storm_run *run, struct baseline_word *word, uint32_t index,
                      uint32_t *turn)
{
    struct wait_state wait = {0};

    for (uint32_t spins = 0;; spins++) {
        *turn = atomic_load_explicit(&word->turn, memory_order_acquire);
        if ((*turn & 1) == index)
            return true;
        if (atomic_load_explicit(&run->ended, memory_order_relaxed))
            return false;
        if (spins >= SPINS_BEFORE_WAIT && !wait_step(&wait, &word->turn, *turn))
            return false;
    }
}

/* One operation: wait for the line to come, send it back. So an operation is one round trip. */
static uint64_t loop_pair(struct storm_run *run, struct baseline_word *word, uint32_t index,
                          uint64_t n)
{
    uint32_t turn;
    uint64_t taken = 0;

    for (; taken < n && take_turn(run, word, index, &turn); taken++) {
        /* Release: the other one's acquire; as a lock's hand-over. */
        atomic_store_explicit(&word->turn, turn + 1, memory_order_release);
        wait_wake(&word->turn);
    }
    return taken;
}

static void baseline_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    struct baseline_cpu *cpu = me->private;

    switch ((enum baseline_op)run->cs->arg[0]) {
    case OP_EMPTY:
        loop_empty(n);
        break;
    case OP_THIS_CPU:
        loop_this_cpu(n);
        break;
    case OP_PRIVATE:
        loop_atomic(&cpu->word, n);
        break;
    case OP_SHARED:
        loop_atomic(run->shared, n);
        break;
    case OP_PAIR:
        n = loop_pair(run, run->shared, me->index, n);
        break;
    }
    cpu->ops += n;
}

/* What the words must hold: every addition of every CPU, and every hand-over. */
static void baseline_teardown_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct baseline_cpu *cpu = me->private;
    struct baseline_word *word = run->shared;
    uint64_t held = cpu->ops;

    if (run->cs->arg[0] == OP_THIS_CPU)
        held = this_cpu_read_u64(percpu_area_of(baseline_percpu));
    else if (run->cs->arg[0] == OP_PRIVATE)
        held = atomic_load_explicit(&cpu->word.count, memory_order_relaxed);
    else if (run->cs->arg[0] == OP_SHARED)
        atomic_fetch_sub_explicit(&word->count, cpu->ops, memory_order_relaxed);
    else if (run->cs->arg[0] == OP_PAIR)
        atomic_fetch_sub_explicit(&word->turn, (uint32_t)cpu->ops, memory_order_relaxed);
    if (held != cpu->ops) {
        log_warn("baseline %s: CPU %u made %llu additions, %llu arrived", run->cs->name, me->cpu,
                 (unsigned long long)cpu->ops, (unsigned long long)held);
        atomic_fetch_add_explicit(&word->count, 1ull << 63, memory_order_relaxed);
    }
    kfree(cpu);
}

static int baseline_teardown(struct storm_run *run)
{
    struct baseline_word *word = run->shared;
    uint64_t left = atomic_load_explicit(&word->count, memory_order_relaxed);

    kfree(run->shared);
    return left ? -CS_EIO : 0;
}

#define PAIR(a, b, quick)                                                                          \
    {                                                                                              \
        .name = "pair=" #a "," #b, .arg = {OP_PAIR}, .is_pair = true, .pair = {a, b},              \
        .min_cpus = 2, .in_quick = quick                                                           \
    }

static const struct storm_case baseline_cases[] = {
    {.name = "op=empty", .arg = {OP_EMPTY}, .in_quick = true},
    {.name = "op=this_cpu_add", .arg = {OP_THIS_CPU}, .in_quick = true},
    {.name = "op=atomic_private", .arg = {OP_PRIVATE}, .in_quick = true},
    {.name = "op=atomic_shared", .arg = {OP_SHARED}, .in_quick = true},
    PAIR(0, 1, true),  PAIR(0, 2, true),  PAIR(0, 3, true),  PAIR(1, 2, true),
    PAIR(1, 3, true),  PAIR(2, 3, true),  PAIR(0, 4, false), PAIR(1, 4, false),
    PAIR(2, 4, false), PAIR(3, 4, false), PAIR(0, 5, false), PAIR(1, 5, false),
    PAIR(2, 5, false), PAIR(3, 5, false), PAIR(4, 5, false), PAIR(0, 6, false),
    PAIR(1, 6, false), PAIR(2, 6, false), PAIR(3, 6, false), PAIR(4, 6, false),
    PAIR(5, 6, false), PAIR(0, 7, false), PAIR(1, 7, false), PAIR(2, 7, false),
    PAIR(3, 7, false), PAIR(4, 7, false), PAIR(5, 7, false), PAIR(6, 7, false),
};

static const struct storm baseline_storm = {
    .name = "baseline",
    .summary = "what the other numbers are made of: loop, atomics, a line's way between CPUs",
    .cases = baseline_cases,
    .nr_cases = ARRAY_LEN(baseline_cases),
    .rank = 0,
    .setup = baseline_setup,
    .setup_cpu = baseline_setup_cpu,
    .loop = baseline_loop,
    .teardown_cpu = baseline_teardown_cpu,
    .teardown = baseline_teardown,
};
STORM(baseline_storm);
