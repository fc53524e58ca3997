/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handing out work (core/smp.c): the boot CPU posts twice to two parked CPUs, which run the real
 * loop of a started CPU. All of it is done once, and seen. Also with a boot CPU that sleeps.
 */
#include <arch/hooks.h>
#include <arch/percpu.h>

#include "arch/sim/explore/scenario.h"
#include "core/compiler.h"
#include "core/smp.h"
#include "core/wait.h"

#define CPUS 3u
#define ROUNDS 2u
#define MS 1000u

static struct {
    cacheline_aligned uint32_t done;
} work[CPUS];
static EXPLORE_GHOST uint32_t ids[CPUS];

static const char *const variants[] = {"spin", "sleep"};

static const char *work_variant(uint32_t variant)
{
    return variant < ARRAY_LEN(variants) ? variants[variant] : NULL;
}

static uint32_t cpu_of_part(uint32_t i)
{
    return i == 2 ? nr_cpus - 1 : i;
}

/* The CPUs start anew: what they did at boot is on stacks that are not explored. */
static void work_begin(uint32_t variant)
{
    wait_sleeps = variant == 1;
    if (wait_sleeps)
        explore_lets_sleep();
    for (uint32_t i = 1; i < CPUS; i++)
        atomic_store_explicit(&cpu_get(cpu_of_part(i))->state, CPU_STARTING, memory_order_relaxed);
    for (uint32_t i = 0; i < CPUS; i++)
        ids[i] = cpu_of_part(i);
}

static void do_work(void *arg)
{
    uint32_t round = *(uint32_t *)arg;

    for (uint32_t i = 0; i < CPUS; i++)
        if (ids[i] == this_cpu_id()) {
            EXPLORE_CHECK(work[i].done == round, "CPU %u has done %u, expected %u", i, work[i].done,
                          round);
            work[i].done = round + 1;
        }
}

static void work_part(uint32_t i)
{
    static uint32_t round;

    if (i)
        hook_cpu_entry(cpu_of_part(i)); /* parks, and works when kicked, for ever */
    for (uint32_t k = 0; k < ROUNDS; k++) {
        round = k;
        EXPLORE_CHECK(!smp_run(ids, CPUS, do_work, &round, MS), "a CPU did not come back");
        for (uint32_t cpu = 0; cpu < CPUS; cpu++)
            EXPLORE_CHECK(work[cpu].done == k + 1, "not seen: the work of CPU %u", cpu);
    }
}

static const struct explore_scenario work_scenario = {
    .name = "work",
    .summary = "work for parked CPUs",
    .cpus = CPUS,
    .variant = work_variant,
    .begin = work_begin,
    .part = work_part,
    .parked_is_done = true,
};
EXPLORE_SCENARIO(work_scenario);
