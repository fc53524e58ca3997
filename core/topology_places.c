/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where CPUs lie: from what firmware or the port says to dense numbers (core/topology.h).
 *
 *   places {package, die, llc, cluster, core, thread}  ──sorted──>  numbered where they change
 *
 * I1. CPUs with equal numbers of a level have equal numbers of all levels outside it.
 * I2. Numbers are dense: each of 0 … topology_count(level)-1 is somebody's.
 * Context: boot CPU, but for topology_check_here().
 */
#include <stdatomic.h>

#include <arch/mmu.h>

#include "core/format.h"
#include "core/log.h"
#include "core/memory_map.h"
#include "core/panic.h"
#include "core/param.h"
#include "core/topology.h"

#define CACHES_TEXT_BYTES 80u

static uint32_t counts[TOPOLOGY_LEVELS] = {1, 1, 1, 1, 1, 1};
static const char *places_source = "none";
static uint32_t nr_unplaced;
static bool list_wanted;

PARAM_FLAG(topology, "topology", list_wanted, "print where each CPU lies");

bool topology_places_known(void)
{
    return nr_unplaced == 0;
}

const char *topology_source(void)
{
    return places_source;
}

uint32_t topology_count(enum topology_level level)
{
    return counts[level];
}

/* The first level at which they differ; TOPOLOGY_LEVELS for the same place. */
static unsigned first_difference(const struct arch_cpu_place *a, const struct arch_cpu_place *b)
{
    unsigned level = 0;

    while (level < TOPOLOGY_LEVELS && a->at[level] == b->at[level])
        level++;
    return level;
}

static bool lies_before(const struct cpu *a, const struct cpu *b)
{
    unsigned level = first_difference(&a->place, &b->place);

    if (level == TOPOLOGY_LEVELS)
        return a->id < b->id;
    return a->place.at[level] < b->place.at[level];
}

static void sift_down(struct cpu **heap, uint32_t at, uint32_t count)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        struct cpu *parent = heap[at];

        if (child + 1 < count && lies_before(heap[child], heap[child + 1]))
            child++;
        if (!lies_before(parent, heap[child]))
            return;
        heap[at] = heap[child];
        heap[child] = parent;
    }
}

/* Heap sort: firmware lists thousands of CPUs in any order. */
static void sort_by_place(struct cpu **cpus, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(cpus, i, count);
    for (uint32_t end = count; end-- > 1;) {
        struct cpu *last = cpus[0];

        cpus[0] = cpus[end];
        cpus[end] = last;
        sift_down(cpus, 0, end);
    }
}

/* Firmware's word; where it says nothing of any CPU, the port's, since the two count differently;
 * else a core of its own in package 0. */
static void find_place(struct cpu *cpu, bool firmware_knows)
{
    if (cpu->has_place)
        return;
    if (!firmware_knows && arch_cpu_place(cpu->hw_id, &cpu->place) == 0) {
        cpu->has_place = true;
        return;
    }
    nr_unplaced++;
    cpu->place =
        (struct arch_cpu_place){.at = {[TOPOLOGY_CLUSTER] = UINT64_MAX, [TOPOLOGY_CORE] = cpu->id}};
}

/* I1, I2: `next` is how many numbers each level has given out. */
static void number_in_order(struct cpu *const *sorted, uint32_t count,
                            uint32_t domains[TOPOLOGY_LEVELS])
{
    uint32_t next[TOPOLOGY_LEVELS] = {0};

    for (uint32_t i = 0; i < count; i++) {
        struct cpu *cpu = sorted[i];
        unsigned changed = i ? first_difference(&sorted[i - 1]->place, &cpu->place) : 0;

        for (unsigned level = changed; level < TOPOLOGY_THREAD; level++)
            next[level]++;
        next[TOPOLOGY_THREAD] = changed < TOPOLOGY_THREAD ? 1 : next[TOPOLOGY_THREAD] + 1;
        cpu->package = next[TOPOLOGY_PACKAGE] - 1;
        cpu->die = next[TOPOLOGY_DIE] - 1;
        cpu->llc = next[TOPOLOGY_LLC] - 1;
        cpu->cluster = next[TOPOLOGY_CLUSTER] - 1;
        cpu->core = next[TOPOLOGY_CORE] - 1;
        cpu->thread = next[TOPOLOGY_THREAD] - 1;
    }
    for (unsigned level = 0; level < TOPOLOGY_THREAD; level++)
        domains[level] = next[level];
    domains[TOPOLOGY_THREAD] = count;
}

void topology_number_places(struct cpu **cpus, uint32_t count, uint32_t domains[TOPOLOGY_LEVELS])
{
    sort_by_place(cpus, count);
    number_in_order(cpus, count, domains);
}

static void say_what_is_odd(void)
{
    const char *refused = arch_cpu_place_refused();

    if (refused)
        log_warn("topology: %s makes no sense and is not used; %s is", refused, places_source);
    if (nr_unplaced && nr_unplaced < nr_cpus)
        log_warn(
            "topology: nobody says where %u of %u CPUs lie; each counts as a core of package 0",
            nr_unplaced, nr_cpus);
}

static void set_place(struct cpu *cpu, const struct arch_cpu_place *place, const char *source)
{
    if (!cpu)
        return;
    cpu->place = *place;
    cpu->has_place = true;
    places_source = source;
}

void topology_set_place(uint64_t hw_id, const struct arch_cpu_place *place, const char *source)
{
    set_place(topology_find(hw_id), place, source);
}

void topology_set_place_of(uint32_t firmware_id, const struct arch_cpu_place *place,
                           const char *source)
{
    set_place(topology_find_firmware_id(firmware_id), place, source);
}

void topology_settle_places(struct cpu *const *cpus)
{
    uint64_t phys = bootmem_alloc(nr_cpus * sizeof(*cpus), ARCH_PAGE_BYTES, 0);
    struct cpu **sorted = phys_to_virt(phys);
    bool firmware_knows = false;

    if (!phys)
        panic("no memory to sort %u CPUs", nr_cpus);
    for (uint32_t i = 0; i < nr_cpus; i++)
        firmware_knows |= cpus[i]->has_place;
    for (uint32_t i = 0; i < nr_cpus; i++) {
        find_place(cpus[i], firmware_knows);
        sorted[i] = cpus[i];
    }
    if (!firmware_knows && !nr_unplaced)
        places_source = arch_cpu_place_source();
    topology_number_places(sorted, nr_cpus, counts);
    say_what_is_odd();
}

void topology_check_here(uint32_t id)
{
    struct cpu *cpu = cpu_get(id);

    if (cpu->has_place && !arch_cpu_place_agrees(&cpu->place))
        atomic_store_explicit(&cpu->disagrees, true, memory_order_relaxed);
}

/* " caches=l1d:32K,l1i:32K,l2:1M", nothing where nobody says. */
static void caches_text(char *text, size_t bytes)
{
    static const char *const kinds[] = {
        [ARCH_CACHE_DATA] = "d", [ARCH_CACHE_INSTRUCTIONS] = "i", [ARCH_CACHE_UNIFIED] = ""};
    struct arch_cache cache;
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; arch_cache(i, &cache) && used + 24 < bytes; i++) {
        bool mib = cache.bytes >= 1u << 20 && cache.bytes % (1u << 20) == 0;

        used += format_text(text + used, bytes - used, "%sl%u%s:%llu%s",
                            i ? "," : " caches=", cache.level, kinds[cache.kind],
                            (unsigned long long)(cache.bytes >> (mib ? 20 : 10)), mib ? "M" : "K");
    }
}

static void report_disagreement(void)
{
    uint32_t count = 0, first = 0;

    for (uint32_t id = nr_cpus; id-- > 0;)
        if (atomic_load_explicit(&cpu_get(id)->disagrees, memory_order_relaxed)) {
            count++;
            first = id;
        }
    if (count)
        log_warn("topology: %u CPUs say themselves that they lie elsewhere, CPU %u (hardware id "
                 "%llu) first; %s is believed",
                 count, first, (unsigned long long)cpu_get(first)->hw_id, places_source);
}

void topology_report_places(void)
{
    char caches[CACHES_TEXT_BYTES];

    caches_text(caches, sizeof(caches));
    log_line("meta topology=%s sockets=%u nodes=%u dies=%u llcs=%u clusters=%u cores=%u threads=%u",
             places_source, counts[TOPOLOGY_PACKAGE], nr_nodes, counts[TOPOLOGY_DIE],
             counts[TOPOLOGY_LLC], counts[TOPOLOGY_CLUSTER], counts[TOPOLOGY_CORE],
             counts[TOPOLOGY_THREAD]);
    if (caches[0])
        log_line("meta%s", caches);
    report_disagreement();
    if (list_wanted)
        topology_list();
}

void topology_list(void)
{
    for (uint32_t id = 0; id < nr_cpus; id++) {
        const struct cpu *cpu = cpu_get(id);

        log_line("cpu %u: hardware id %llu node %u package %u die %u llc %u cluster %u core %u "
                 "thread %u%s",
                 id, (unsigned long long)cpu->hw_id, cpu->node, cpu->package, cpu->die, cpu->llc,
                 cpu->cluster, cpu->core, cpu->thread,
                 cpumask_has(&cpus_online, id) ? "" : " offline");
    }
}
