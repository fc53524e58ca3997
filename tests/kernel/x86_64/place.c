/* SPDX-License-Identifier: Apache-2.0 */
/* Every CPU's own CPUID says that it lies where the boot CPU's widths put it, and does not agree
 * with anything. */
#include <stdatomic.h>

#include <arch/percpu.h>

#include "core/selftest.h"
#include "core/smp.h"
#include "core/topology.h"

#define RUN_MS 20000u

static _Atomic uint32_t nr_wrong, nr_compared;

static void compare(void *arg)
{
    struct cpu *cpu = cpu_get(this_cpu_id());
    struct arch_cpu_place place = cpu->place;
    uint32_t wrong;

    /* Told in the report: a processor may have cores that count otherwise. */
    if (atomic_load_explicit(&cpu->disagrees, memory_order_relaxed))
        return;
    atomic_fetch_add_explicit(&nr_compared, 1, memory_order_relaxed);
    wrong = !arch_cpu_place_agrees(&place);
    for (unsigned level = 0; level < TOPOLOGY_LEVELS; level++) {
        place.at[level]++;
        wrong += arch_cpu_place_agrees(&place);
        place.at[level]--;
    }
    atomic_fetch_add_explicit(&nr_wrong, wrong, memory_order_relaxed);
}

static void cpus_agree_with_where_they_are(struct ktest *t)
{
    if (!topology_places_known()) {
        ktest_skip(t, "nobody says where CPUs lie");
        return;
    }
    atomic_store_explicit(&nr_wrong, 0, memory_order_relaxed);
    atomic_store_explicit(&nr_compared, 0, memory_order_relaxed);
    ktest_run_all(t, compare, NULL, RUN_MS);
    if (!atomic_load_explicit(&nr_compared, memory_order_relaxed)) {
        ktest_skip(t, "no CPU agrees with the boot CPU's widths");
        return;
    }
    EXPECT_EQ(t, atomic_load_explicit(&nr_wrong, memory_order_relaxed), 0);
}
KTEST(topology, cpus_agree_with_where_they_are, KTEST_QUICK);
