/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where CPUs lie, by their affinity numbers alone, for machines whose firmware says nothing better
 * (PPTT, cpu-map). The numbers need not mean anything: the architecture asks only that they differ
 * (Arm ARM DDI 0487, D17.2.98, MPIDR_EL1). With MT set, Aff0 is a thread, else a core.
 *
 *   MT = 0   | Aff3 package | Aff2 package | Aff1 cluster | Aff0 core |
 *   MT = 1   | Aff3 package | Aff2 cluster | Aff1 core | Aff0 thread |
 */
#include <arch/topology.h>

#include "arch/arm64/arm64.h"

#define MPIDR_MT (1u << 24)
#define AFFINITY_BITS 8u

#define CLIDR_LEVELS 7u
#define CTYPE_CODE 1u
#define CTYPE_DATA 2u
#define CTYPE_SPLIT 3u
#define CTYPE_UNIFIED 4u

/* Aff3 … Aff0 without the gap that MPIDR has between Aff3 and Aff2. */
static uint64_t packed_affinity(uint64_t hw_id)
{
    return (hw_id >> 8 & 0xff000000) | (hw_id & 0xffffff);
}

int arch_cpu_place(uint64_t hw_id, struct arch_cpu_place *place)
{
    unsigned core_shift = READ_SYSREG(mpidr_el1) & MPIDR_MT ? AFFINITY_BITS : 0;
    uint64_t id = packed_affinity(hw_id);

    *place = (struct arch_cpu_place){{
        [TOPOLOGY_PACKAGE] = id >> (core_shift + 2 * AFFINITY_BITS),
        [TOPOLOGY_CLUSTER] = id >> (core_shift + AFFINITY_BITS),
        [TOPOLOGY_CORE] = id >> core_shift,
        [TOPOLOGY_THREAD] = id & ((1u << core_shift) - 1),
    }};
    return 0;
}

/* Affinity numbers were read from the tables; the CPU that woke up is the one that was asked for.
 */
bool arch_cpu_place_agrees(const struct arch_cpu_place *place)
{
    return true;
}

const char *arch_cpu_place_source(void)
{
    return "mpidr";
}

const char *arch_cpu_place_refused(void)
{
    return NULL;
}

/* CCSIDR_EL1 for the cache that CSSELR_EL1 picks: with FEAT_CCIDX the fields are wider (D17.2.27).
 * Sets, ways and line are what software sees; sizes of system caches are not in it. */
static uint64_t cache_bytes(unsigned level, bool code)
{
    bool wide = (READ_SYSREG(id_aa64mmfr2_el1) >> 20 & 0xf) == 1;
    uint64_t size, sets, ways;

    WRITE_SYSREG(csselr_el1, (uint64_t)(level - 1) << 1 | code);
    isb();
    size = READ_SYSREG(ccsidr_el1);
    ways = (wide ? size >> 3 & 0x1fffff : size >> 3 & 0x3ff) + 1;
    sets = (wide ? size >> 32 & 0xffffff : size >> 13 & 0x7fff) + 1;
    return (sets * ways) << ((size & 7) + 4);
}

bool arch_cache(unsigned i, struct arch_cache *out)
{
    uint64_t levels = READ_SYSREG(clidr_el1);

    for (unsigned level = 1; level <= CLIDR_LEVELS; level++) {
        unsigned type = levels >> (3 * (level - 1)) & 7;
        unsigned here = type == CTYPE_SPLIT ? 2 : type == 0 || type > CTYPE_UNIFIED ? 0 : 1;
        bool code;

        if (!here)
            return false;
        if (i >= here) {
            i -= here;
            continue;
        }
        code = type == CTYPE_CODE || (type == CTYPE_SPLIT && i == 1);
        *out = (struct arch_cache){.level = level,
                                   .kind = type == CTYPE_UNIFIED ? ARCH_CACHE_UNIFIED
                                           : code                ? ARCH_CACHE_INSTRUCTIONS
                                                                 : ARCH_CACHE_DATA,
                                   .bytes = cache_bytes(level, code)};
        return true;
    }
    return false;
}
