/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queued spinlock (core/spinlock.c): one holder at a time, who sees what the holders before it
 * wrote; nobody waits for ever. Variants: waiters that spin, waiters that sleep, spin_trylock().
 */
#include "arch/sim/explore/scenario.h"
#include "core/compiler.h"
#include "core/percpu.h"
#include "core/spinlock.h"

#define ROUNDS 3u

LOCK_CLASS(explored_class, "explored lock");
static SPINLOCK_STATIC(explored_lock, explored_class);
static cacheline_aligned uint64_t guarded;
static uint64_t taken[EXPLORE_CPUS_MAX];
static bool tries;
static EXPLORE_GHOST uint32_t inside;

static const char *const variants[] = {"spin", "sleep", "trylock"};

static const char *spinlock_variant(uint32_t variant)
{
    return variant < ARRAY_LEN(variants) ? variants[variant] : NULL;
}

static void spinlock_begin(uint32_t variant)
{
    spin_lock_init(&explored_lock, &explored_class);
    wait_sleeps = variant == 1;
    tries = variant == 2;
    if (wait_sleeps)
        explore_lets_sleep();
    guarded = 0;
}

static bool take(uint32_t i)
{
    if (tries && i == 0)
        return spin_trylock(&explored_lock);
    spin_lock(&explored_lock);
    return true;
}

static void spinlock_part(uint32_t i)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (!take(i))
            continue;
        EXPLORE_CHECK(++inside == 1, "%u CPUs hold the lock", inside);
        guarded = guarded + 1;
        taken[i]++;
        inside--;
        spin_unlock(&explored_lock);
    }
}

static void spinlock_end(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < EXPLORE_CPUS_MAX; i++)
        sum += taken[i];
    EXPLORE_CHECK(guarded == sum, "%llu of %llu additions under the lock are left",
                  (unsigned long long)guarded, (unsigned long long)sum);
    EXPLORE_CHECK(explored_lock.word == explored_class.initial_word, "the lock's word is %#x",
                  explored_lock.word);
}

static const struct explore_scenario spinlock = {
    .name = "spinlock",
    .summary = "one holder at a time, who sees what those before it wrote",
    .cpus = 3,
    .variant = spinlock_variant,
    .begin = spinlock_begin,
    .part = spinlock_part,
    .end = spinlock_end,
};
EXPLORE_SCENARIO(spinlock);
