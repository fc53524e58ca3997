/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the explorer's memories, not of the tree: the shapes of the literature (Alglave,
 * Maranget, Tautschnig, "Herding Cats", 2014), with what Armv8 and x86-TSO forbid. A forbidden
 * outcome fails; the outcomes seen are counted in the report, so that a test can ask whether a
 * memory shows what it should (tests/qemu/test_explore.py). An outcome is what was read as a
 * number, the first read's bit lowest: 1 is "1, then 0".
 *
 * x and y are on lines of their own, 0 before; -r is a release, -a an acquire, -f a full fence
 * between the two accesses of each CPU.
 */
#include <stdatomic.h>

#include "arch/sim/explore/scenario.h"
#include "core/compiler.h"

struct shape {
    const char *name;
    void (*part[4])(void);
    /* Bit o: outcome o is forbidden, but under sc, where see forbidden_sc. */
    uint32_t forbidden_tso, forbidden_weak, forbidden_sc;
};

static struct {
    cacheline_aligned _Atomic uintptr_t x;
    cacheline_aligned _Atomic uintptr_t y;
} m;
static EXPLORE_GHOST uint32_t seen[4];
static const struct shape *shape;

static void put(_Atomic uintptr_t *at, memory_order order)
{
    atomic_store_explicit(at, 1, order);
}

static void get(uint32_t i, const _Atomic uintptr_t *at, memory_order order)
{
    seen[i] = atomic_load_explicit(at, order) != 0;
}

/* A CPU knows an address before only if it has accessed it: words.c, L3. */
static void know(const _Atomic uintptr_t *at)
{
    (void)atomic_load_explicit(at, memory_order_relaxed);
}

static void fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/* Message passing. */
static void mp_write(void)
{
    put(&m.x, memory_order_relaxed);
    put(&m.y, memory_order_relaxed);
}

static void mp_write_r(void)
{
    put(&m.x, memory_order_relaxed);
    put(&m.y, memory_order_release);
}

static void mp_read(void)
{
    know(&m.x);
    get(0, &m.y, memory_order_relaxed);
    get(1, &m.x, memory_order_relaxed);
}

static void mp_read_a(void)
{
    know(&m.x);
    get(0, &m.y, memory_order_acquire);
    get(1, &m.x, memory_order_relaxed);
}

/* The message's address comes with it. */
static void mp_write_address(void)
{
    put(&m.x, memory_order_relaxed);
    atomic_store_explicit(&m.y, (uintptr_t)&m.x, memory_order_release);
}

static void mp_read_address(void)
{
    uintptr_t at;

    know(&m.x);
    at = atomic_load_explicit(&m.y, memory_order_relaxed);
    seen[0] = at != 0;
    if (at)
        get(1, (const _Atomic uintptr_t *)at, memory_order_relaxed);
}

/* Store buffering. */
static void sb_x(void)
{
    know(&m.y);
    put(&m.x, memory_order_relaxed);
    get(0, &m.y, memory_order_relaxed);
}

static void sb_y(void)
{
    know(&m.x);
    put(&m.y, memory_order_relaxed);
    get(1, &m.x, memory_order_relaxed);
}

static void sb_x_f(void)
{
    know(&m.y);
    put(&m.x, memory_order_relaxed);
    fence();
    get(0, &m.y, memory_order_relaxed);
}

static void sb_y_f(void)
{
    know(&m.x);
    put(&m.y, memory_order_relaxed);
    fence();
    get(1, &m.x, memory_order_relaxed);
}

static void sb_x_ra(void)
{
    know(&m.y);
    put(&m.x, memory_order_seq_cst);
    get(0, &m.y, memory_order_seq_cst);
}

static void sb_y_ra(void)
{
    know(&m.x);
    put(&m.y, memory_order_seq_cst);
    get(1, &m.x, memory_order_seq_cst);
}

/* One location is coherent. */
static void co_write(void)
{
    put(&m.x, memory_order_relaxed);
}

static void co_read(void)
{
    know(&m.x);
    get(0, &m.x, memory_order_relaxed);
    get(1, &m.x, memory_order_relaxed);
}

/* Write to read causality: the message is passed on by one that saw it. */
static void wrc_pass(void)
{
    if (atomic_load_explicit(&m.x, memory_order_relaxed))
        put(&m.y, memory_order_release);
}

/* Independent reads of independent writes: memory is one for all. */
static void iriw_write_y(void)
{
    put(&m.y, memory_order_relaxed);
}

static void iriw_read_xy(void)
{
    know(&m.y);
    get(0, &m.x, memory_order_acquire);
    get(1, &m.y, memory_order_relaxed);
}

static void iriw_read_yx(void)
{
    know(&m.x);
    get(2, &m.y, memory_order_acquire);
    get(3, &m.x, memory_order_relaxed);
}

#define CPUS 4u
#define OUTCOME(a, b) (1u << ((a) | (b) << 1))
#define OUTCOME_1010 (1u << 5)

static const struct shape shapes[] = {
    {"mp", {mp_write, mp_read}, OUTCOME(1, 0), 0, OUTCOME(1, 0)},
    {"mp-r", {mp_write_r, mp_read}, OUTCOME(1, 0), 0, OUTCOME(1, 0)},
    {"mp-a", {mp_write, mp_read_a}, OUTCOME(1, 0), 0, OUTCOME(1, 0)},
    {"mp-ra", {mp_write_r, mp_read_a}, OUTCOME(1, 0), OUTCOME(1, 0), OUTCOME(1, 0)},
    {"mp-address",
     {mp_write_address, mp_read_address},
     OUTCOME(1, 0),
     OUTCOME(1, 0),
     OUTCOME(1, 0)},
    {"sb", {sb_x, sb_y}, 0, 0, OUTCOME(0, 0)},
    {"sb-f", {sb_x_f, sb_y_f}, OUTCOME(0, 0), OUTCOME(0, 0), OUTCOME(0, 0)},
    {"sb-ra", {sb_x_ra, sb_y_ra}, OUTCOME(0, 0), OUTCOME(0, 0), OUTCOME(0, 0)},
    {"coherence", {co_write, co_read}, OUTCOME(1, 0), OUTCOME(1, 0), OUTCOME(1, 0)},
    {"wrc-ra", {co_write, wrc_pass, mp_read_a}, OUTCOME(1, 0), OUTCOME(1, 0), OUTCOME(1, 0)},
    {"iriw",
     {co_write, iriw_write_y, iriw_read_xy, iriw_read_yx},
     OUTCOME_1010,
     OUTCOME_1010,
     OUTCOME_1010},
};

static const char *shape_name(uint32_t variant)
{
    return variant < ARRAY_LEN(shapes) ? shapes[variant].name : NULL;
}

static void litmus_begin(uint32_t variant)
{
    shape = &shapes[variant];
}

static void litmus_part(uint32_t i)
{
    if (shape->part[i])
        shape->part[i]();
}

static void litmus_end(void)
{
    const uint32_t forbidden[EXPLORE_MEMORIES] = {
        [EXPLORE_SC] = shape->forbidden_sc,
        [EXPLORE_TSO] = shape->forbidden_tso,
        [EXPLORE_WEAK] = shape->forbidden_weak,
    };
    uint32_t outcome = 0;

    for (uint32_t i = 0; i < CPUS; i++)
        outcome |= seen[i] << i;
    EXPLORE_CHECK(!(forbidden[explore_memory_is()] >> outcome & 1), "outcome %u is forbidden",
                  outcome);
    explore_outcome(outcome);
}

static const struct explore_scenario litmus_scenario = {
    .name = "litmus",
    .summary = "the explorer's own memories",
    .cpus = CPUS,
    .variant = shape_name,
    .begin = litmus_begin,
    .part = litmus_part,
    .end = litmus_end,
};
EXPLORE_SCENARIO(litmus_scenario);
