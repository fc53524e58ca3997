/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where CPUs lie, by the widths that the boot CPU's CPUID tells (cpuid_topology.h), applied to the
 * APIC ids of firmware's table; each CPU that comes up compares with its own CPUID. A hybrid
 * processor may have cores that answer differently: they are named in the report.
 */
#include <arch/smp.h>
#include <arch/topology.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/cpuid_topology.h"
#include "arch/x86_64/x86.h"

static struct cpuid_topology topology; /* written once, before other CPUs run */
static bool topology_was_read;

static const struct cpuid_topology *read_topology(void)
{
    if (!topology_was_read) {
        cpuid_topology_decode(&topology, cpuid_leaf);
        topology_was_read = true;
    }
    return &topology;
}

int arch_cpu_place(uint64_t hw_id, struct arch_cpu_place *place)
{
    const struct cpuid_topology *t = read_topology();

    if (!t->source)
        return -X86_ENOENT;
    cpuid_topology_place(t, hw_id, place);
    return 0;
}

bool arch_cpu_place_agrees(const struct arch_cpu_place *place)
{
    struct cpuid_topology mine;
    struct arch_cpu_place here;
    bool same = true;

    cpuid_topology_decode(&mine, cpuid_leaf);
    cpuid_topology_place(&mine, arch_cpu_hw_id(), &here);
    for (unsigned level = 0; level < TOPOLOGY_LEVELS; level++)
        same &= here.at[level] == place->at[level];
    return same;
}

const char *arch_cpu_place_source(void)
{
    const struct cpuid_topology *t = read_topology();

    return t->source ? t->source : "none";
}

const char *arch_cpu_place_refused(void)
{
    return read_topology()->refused;
}

bool arch_cache(unsigned i, struct arch_cache *out)
{
    struct cpuid_cache cache;

    if (!cpuid_cache_at(cpuid_leaf, i, &cache))
        return false;
    *out = (struct arch_cache){.level = cache.level,
                               .kind = cache.type == CPUID_CACHE_DATA   ? ARCH_CACHE_DATA
                                       : cache.type == CPUID_CACHE_CODE ? ARCH_CACHE_INSTRUCTIONS
                                                                        : ARCH_CACHE_UNIFIED,
                               .bytes = cache.bytes};
    return true;
}
