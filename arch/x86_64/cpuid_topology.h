/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From CPUID to the places of all CPUs: how many low bits of an APIC id number what lies inside a
 * core, a module, a cache, a die and a package. Pure functions over a reader of leaves, so that the
 * tests can be any processor.
 *
 *   APIC id   | package | die | llc | cluster | core | thread |
 *                       ^die_shift    …              ^core_shift
 *
 * Sources, the first one that makes sense: leaf 1Fh, leaf 0Bh (Intel SDM vol. 3, 9.9.4 and 9.9.5;
 * AMD64 APM vol. 3, E.3.7), AMD's 80000008h with 8000001Eh (APM vol. 3, E.4.7, E.4.16), leaf 1 with
 * leaf 4 (SDM vol. 3, 9.9.5). Caches: leaf 4 on Intel, 8000001Dh on AMD.
 *
 * I1. All shifts are at most 31, and rise from the core to the package, whatever CPUID says.
 * I2. Every walk over subleaves is bounded.
 */
#ifndef X86_CPUID_TOPOLOGY_H
#define X86_CPUID_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include <arch/topology.h>

#include "arch/x86_64/cpuid.h"

#define CPUID_LEVELS_MAX 8u
#define CPUID_CACHES_MAX 16u
#define CPUID_SHIFT_MAX 31u
#define CPUID_CORE_SHIFT_MAX 4u /* 16 threads a core: more is not believed */

struct cpuid_topology {
    const char *source;  /* NULL: nothing made sense, every CPU is a core of one package */
    const char *refused; /* a source that was there and made none, or NULL */
    unsigned core_shift, cluster_shift, llc_shift, die_shift, package_shift;
};

enum cpuid_vendor { CPUID_OTHER, CPUID_INTEL, CPUID_AMD };

static inline enum cpuid_vendor cpuid_vendor(cpuid_reader *read)
{
    uint32_t ebx = read(0, 0).ebx;

    if (ebx == 0x756e6547) /* "Genu" */
        return CPUID_INTEL;
    return ebx == 0x68747541 || ebx == 0x6f677948 ? CPUID_AMD : CPUID_OTHER; /* "Auth", "Hygo" */
}

/* Bits that number `count` things. */
static inline unsigned cpuid_bits(uint32_t count)
{
    unsigned bits = 0;

    while (bits < CPUID_SHIFT_MAX && count > 1ull << bits)
        bits++;
    return bits;
}

static inline void cpuid_shifts_flat(struct cpuid_topology *t, unsigned core_shift,
                                     unsigned package_shift)
{
    t->core_shift = t->cluster_shift = core_shift;
    t->die_shift = t->llc_shift = t->package_shift = package_shift;
}

enum cpuid_domain { DOMAIN_THREAD = 1, DOMAIN_CORE, DOMAIN_MODULE, DOMAIN_TILE, DOMAIN_DIE };

/* One subleaf of 1Fh or 0Bh: EAX[4:0] is the shift to the id of the next domain upwards, so it is
 * the shift of whatever domain comes next. */
static inline bool cpuid_take_domain(struct cpuid_topology *t, struct cpuid r, unsigned *below)
{
    unsigned shift = r.eax & 0x1f, type = r.ecx >> 8 & 0xff;

    if (shift < *below || (r.ebx & 0xffff) > 1ull << shift)
        return false; /* it shrinks, or it has more CPUs than numbers for them */
    switch (type) {
    case DOMAIN_THREAD:
        t->core_shift = t->cluster_shift = shift;
        break;
    case DOMAIN_MODULE:
        t->cluster_shift = *below;
        break;
    case DOMAIN_DIE:
        t->die_shift = *below;
        break;
    }
    *below = t->package_shift = shift;
    return true;
}

static inline bool cpuid_extended_leaf(struct cpuid_topology *t, cpuid_reader *read, uint32_t leaf)
{
    unsigned below = 0, level = 0;
    bool has_die = false;

    *t = (struct cpuid_topology){.refused = t->refused};
    for (; level < CPUID_LEVELS_MAX; level++) {
        struct cpuid r = read(leaf, level);
        unsigned type = r.ecx >> 8 & 0xff;

        if (!type)
            break;
        has_die |= type == DOMAIN_DIE;
        if (!cpuid_take_domain(t, r, &below))
            return false;
    }
    if (!has_die)
        t->die_shift = t->package_shift;
    t->llc_shift = t->die_shift;
    return level > 0 && t->core_shift <= CPUID_CORE_SHIFT_MAX;
}

/* 80000008h ECX: bits 15:12 the width of what lies in a package, 7:0 its CPUs less one; 8000001Eh
 * EBX[15:8]: threads of a core less one. */
static inline bool cpuid_amd_leaves(struct cpuid_topology *t, cpuid_reader *read)
{
    struct cpuid sizes = read(0x80000008, 0), unit = {0};
    unsigned package = sizes.ecx >> 12 & 0xf;

    if (!(sizes.ecx & 0xf0ff))
        return false;
    if (!package)
        package = cpuid_bits((sizes.ecx & 0xff) + 1);
    if (read(0x80000001, 0).ecx & 1u << 22)
        unit = read(0x8000001e, 0);
    cpuid_shifts_flat(t, cpuid_bits((unit.ebx >> 8 & 0xff) + 1), package);
    return t->core_shift <= package && t->core_shift <= CPUID_CORE_SHIFT_MAX;
}

/* Leaf 1: EBX[23:16] ids that a package has, where EDX says so; leaf 4: EAX[31:26] cores less one.
 * AMD's processors of that time have no threads. */
static inline bool cpuid_legacy_leaves(struct cpuid_topology *t, cpuid_reader *read)
{
    struct cpuid basic = read(1, 0), cache = read(4, 0);
    unsigned package = basic.edx & 1u << 28 ? cpuid_bits(basic.ebx >> 16 & 0xff) : 0;
    unsigned cores = cache.eax & 0x1f ? cpuid_bits((cache.eax >> 26) + 1) : 0;

    if (cpuid_vendor(read) == CPUID_AMD)
        cores = package;
    if (cores > package)
        return false;
    cpuid_shifts_flat(t, package - cores, package);
    return t->core_shift <= CPUID_CORE_SHIFT_MAX;
}

/* Both vendors' leaves: EAX[4:0] type, [7:5] level, [25:14] ids that share it less one. */
enum cpuid_cache_type { CPUID_CACHE_DATA = 1, CPUID_CACHE_CODE, CPUID_CACHE_BOTH };

struct cpuid_cache {
    unsigned type, level, share_bits;
    uint64_t bytes;
};

/* AMD's own leaf where it is there; leaf 4 is empty on AMD's processors. */
static inline uint32_t cpuid_cache_leaf(cpuid_reader *read)
{
    bool amd = cpuid_vendor(read) == CPUID_AMD && read(0x80000001, 0).ecx & 1u << 22;

    return amd ? 0x8000001d : 4;
}

/* The i-th cache; false past the last. */
static inline bool cpuid_cache_at(cpuid_reader *read, unsigned i, struct cpuid_cache *out)
{
    struct cpuid r = {0};

    if (i < CPUID_CACHES_MAX)
        r = read(cpuid_cache_leaf(read), i);
    if (!(r.eax & 0x1f))
        return false;
    *out = (struct cpuid_cache){
        .type = r.eax & 0x1f,
        .level = r.eax >> 5 & 7,
        .share_bits = cpuid_bits((r.eax >> 14 & 0xfff) + 1),
        .bytes = (uint64_t)((r.ebx >> 22) + 1) * ((r.ebx >> 12 & 0x3ff) + 1) *
                 ((r.ebx & 0xfff) + 1) * ((uint64_t)r.ecx + 1),
    };
    return true;
}

/* The last cache lies inside a package and has whole cores. A die that is smaller than it is none,
 * and a cluster is no larger. */
static inline void cpuid_last_cache(struct cpuid_topology *t, cpuid_reader *read)
{
    struct cpuid_cache cache;
    unsigned level = 0, bits = t->llc_shift;

    for (unsigned i = 0; cpuid_cache_at(read, i, &cache); i++) {
        if (cache.type == CPUID_CACHE_CODE || cache.level < level)
            continue;
        level = cache.level;
        bits = cache.share_bits;
    }
    if (level < 2)
        return; /* a first-level cache alone says nothing */
    if (bits > t->package_shift)
        bits = t->package_shift;
    t->llc_shift = bits < t->core_shift ? t->core_shift : bits;
    if (t->die_shift < t->llc_shift)
        t->die_shift = t->package_shift;
    if (t->cluster_shift > t->llc_shift)
        t->cluster_shift = t->core_shift;
}

static inline void cpuid_topology_decode(struct cpuid_topology *t, cpuid_reader *read)
{
    *t = (struct cpuid_topology){0};
    if (read(0x1f, 0).ebx) {
        if (cpuid_extended_leaf(t, read, 0x1f))
            t->source = "cpuid-1fh";
        else
            t->refused = "cpuid-1fh";
    }
    if (!t->source && read(0xb, 0).ebx) {
        if (cpuid_extended_leaf(t, read, 0xb))
            t->source = "cpuid-0bh";
        else
            t->refused = "cpuid-0bh";
    }
    if (!t->source && cpuid_vendor(read) == CPUID_AMD && cpuid_amd_leaves(t, read))
        t->source = "cpuid-80000008h";
    if (!t->source && cpuid_legacy_leaves(t, read))
        t->source = "cpuid-1";
    if (!t->source) /* no bits below a core, all below the package */
        cpuid_shifts_flat(t, 0, CPUID_SHIFT_MAX);
    else
        cpuid_last_cache(t, read);
}

static inline void cpuid_topology_place(const struct cpuid_topology *t, uint64_t apic_id,
                                        struct arch_cpu_place *place)
{
    *place = (struct arch_cpu_place){{
        [TOPOLOGY_PACKAGE] = apic_id >> t->package_shift,
        [TOPOLOGY_DIE] = apic_id >> t->die_shift,
        [TOPOLOGY_LLC] = apic_id >> t->llc_shift,
        [TOPOLOGY_CLUSTER] = apic_id >> t->cluster_shift,
        [TOPOLOGY_CORE] = apic_id >> t->core_shift,
        [TOPOLOGY_THREAD] = apic_id & ((1ull << t->core_shift) - 1),
    }};
}

#endif
