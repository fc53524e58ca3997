/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for each other: the barrier of the measurements (bench/barrier.h) and a word that is
 * waited for (core/wait.h), by waiters that spin and by waiters that sleep. All come through, and
 * see what was written before.
 */
#include "arch/sim/explore/scenario.h"
#include "bench/barrier.h"
#include "core/compiler.h"
#include "core/wait.h"

#define CPUS 3u
#define ROUNDS 2u
#define MS 1000u

static struct barrier barrier;
static struct {
    cacheline_aligned uint32_t round; /* plain */
} wrote[CPUS];
static uint32_t seen_by_last;
static cacheline_aligned _Atomic uint32_t word;
static cacheline_aligned uint32_t message;

static const char *const variants[] = {"spin", "sleep"};

static const char *meeting_variant(uint32_t variant)
{
    return variant < ARRAY_LEN(variants) ? variants[variant] : NULL;
}

static void meeting_begin(uint32_t variant)
{
    wait_sleeps = variant == 1;
    if (wait_sleeps)
        explore_lets_sleep();
    barrier_init(&barrier, CPUS);
    atomic_store_explicit(&word, 0, memory_order_relaxed);
}

static void last_one(void *arg)
{
    uint32_t round = *(uint32_t *)arg;

    for (uint32_t i = 0; i < CPUS; i++)
        EXPLORE_CHECK(wrote[i].round == round, "the last one does not see what CPU %u wrote", i);
    seen_by_last = round;
}

static void barrier_part(uint32_t i)
{
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        wrote[i].round = round;
        EXPLORE_CHECK(barrier_meet(&barrier, last_one, &round, UINT64_MAX), "too late");
        EXPLORE_CHECK(seen_by_last == round, "not seen: what the last one wrote");
        /* Others may be in the next round already. */
        for (uint32_t k = 0; k < CPUS; k++)
            EXPLORE_CHECK(wrote[k].round >= round, "not seen: what CPU %u wrote", k);
    }
}

static const struct explore_scenario barrier_scenario = {
    .name = "barrier",
    .summary = "a meeting point, twice",
    .cpus = CPUS,
    .variant = meeting_variant,
    .begin = meeting_begin,
    .part = barrier_part,
};
EXPLORE_SCENARIO(barrier_scenario);

/* A message goes round: each CPU waits for its turn. */
static void turn_part(uint32_t i)
{
    for (uint32_t turn = i; turn < ROUNDS * CPUS; turn += CPUS) {
        EXPLORE_CHECK(wait_for_value(&word, turn, MS), "the turn did not come");
        EXPLORE_CHECK(message == turn, "the message is %u, expected %u", message, turn);
        message = turn + 1;
        atomic_store_explicit(&word, turn + 1, memory_order_release);
        wait_wake(&word);
    }
}

static const struct explore_scenario turn_scenario = {
    .name = "wait",
    .summary = "a message goes round",
    .cpus = CPUS,
    .variant = meeting_variant,
    .begin = meeting_begin,
    .part = turn_part,
};
EXPLORE_SCENARIO(turn_scenario);
