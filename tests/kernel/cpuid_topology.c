/* SPDX-License-Identifier: Apache-2.0 */
/* Places by CPUID, on processors that are made of their leaves: ones that exist, ones that lie, and
 * random bytes. I1 and I2 of arch/x86_64/cpuid_topology.h. */
#include "arch/x86_64/cpuid_topology.h"
#include "core/compiler.h"
#include "core/random.h"
#include "core/selftest.h"
#include "core/string.h"

#define LEAVES_MAX 24u

struct made_leaf {
    uint32_t leaf, subleaf;
    struct cpuid r;
};

static struct made_leaf made[LEAVES_MAX];
static unsigned nr_made;
static struct random *made_random; /* what is not made is random; NULL: zeros */

static struct cpuid read_made(uint32_t leaf, uint32_t subleaf)
{
    for (unsigned i = 0; i < nr_made; i++)
        if (made[i].leaf == leaf && made[i].subleaf == subleaf)
            return made[i].r;
    if (!made_random)
        return (struct cpuid){0};
    return (struct cpuid){(uint32_t)random_next(made_random), (uint32_t)random_next(made_random),
                          (uint32_t)random_next(made_random), (uint32_t)random_next(made_random)};
}

static void add(uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
                uint32_t edx)
{
    made[nr_made++] = (struct made_leaf){leaf, subleaf, {eax, ebx, ecx, edx}};
}

static void new_processor(bool amd)
{
    nr_made = 0;
    made_random = NULL;
    add(0, 0, 0x1f, amd ? 0x68747541 : 0x756e6547, 0, 0);
    if (amd)
        add(0x80000001, 0, 0, 0, 1u << 22, 0);
}

/* A subleaf of 1Fh or 0Bh. */
static void domain(uint32_t leaf, uint32_t subleaf, unsigned type, unsigned shift, unsigned cpus)
{
    add(leaf, subleaf, shift, cpus, type << 8 | subleaf, 0);
}

static void cache(uint32_t leaf, uint32_t subleaf, unsigned type, unsigned level, unsigned share)
{
    /* 16 ways, 1 partition, 64-byte lines, 1024 sets: 1 MiB */
    add(leaf, subleaf, type | level << 5 | (share - 1) << 14, 15u << 22 | 63, 1023, 0);
}

static struct arch_cpu_place place_of(const struct cpuid_topology *t, uint64_t apic_id)
{
    struct arch_cpu_place place;

    cpuid_topology_place(t, apic_id, &place);
    return place;
}

/* 96 cores of 2 threads in CCX of 8: ids of 8 bits, of which 4 lie in a CCX. */
static void zen4(struct ktest *t)
{
    struct cpuid_topology topology;
    struct arch_cpu_place p;

    new_processor(true);
    domain(0xb, 0, 1, 1, 2);
    domain(0xb, 1, 2, 8, 192);
    cache(0x8000001d, 0, 1, 1, 2);
    cache(0x8000001d, 1, 2, 1, 2);
    cache(0x8000001d, 2, 3, 2, 2);
    cache(0x8000001d, 3, 3, 3, 16);
    cpuid_topology_decode(&topology, read_made);
    EXPECT(t, strcmp(topology.source, "cpuid-0bh") == 0 && !topology.refused);
    p = place_of(&topology, 256 + 16 * 11 + 15);
    EXPECT_EQ(t, p.at[TOPOLOGY_PACKAGE], 1);
    EXPECT_EQ(t, p.at[TOPOLOGY_DIE], 1);
    EXPECT_EQ(t, p.at[TOPOLOGY_LLC], 16 + 11);
    EXPECT_EQ(t, p.at[TOPOLOGY_CORE], 128 + 8 * 11 + 7);
    EXPECT_EQ(t, p.at[TOPOLOGY_THREAD], 1);
}
KTEST(cpuid_topology, zen4, KTEST_QUICK);

/* Two dies, in each modules of 4 single-threaded cores beside threaded ones. */
static void dies_and_modules(struct ktest *t)
{
    struct cpuid_topology topology;
    struct arch_cpu_place p;

    new_processor(false);
    domain(0x1f, 0, 1, 1, 2);
    domain(0x1f, 1, 2, 3, 8);
    domain(0x1f, 2, 3, 6, 48);
    domain(0x1f, 3, 5, 7, 96);
    domain(0xb, 0, 1, 4, 2); /* is not asked */
    cache(4, 0, 3, 2, 8);
    cache(4, 1, 3, 3, 64);
    cpuid_topology_decode(&topology, read_made);
    EXPECT(t, strcmp(topology.source, "cpuid-1fh") == 0);
    p = place_of(&topology, 0xeb); /* 1 1 101 01 1: package 1, die 1, module 5, core 1, thread 1 */
    EXPECT_EQ(t, p.at[TOPOLOGY_PACKAGE], 1);
    EXPECT_EQ(t, p.at[TOPOLOGY_DIE], 3);
    EXPECT_EQ(t, p.at[TOPOLOGY_LLC], 3);
    EXPECT_EQ(t, p.at[TOPOLOGY_CLUSTER], 0x1d);
    EXPECT_EQ(t, p.at[TOPOLOGY_CORE], 0x75);
    EXPECT_EQ(t, p.at[TOPOLOGY_THREAD], 1);
}
KTEST(cpuid_topology, dies_and_modules, KTEST_QUICK);

static void old_processors(struct ktest *t)
{
    struct cpuid_topology topology;

    new_processor(false); /* 4 cores of 2 threads by leaves 1 and 4 */
    add(1, 0, 0, 8u << 16, 0, 1u << 28);
    add(4, 0, 3u << 26 | 1 | 1u << 5, 0, 0, 0);
    cpuid_topology_decode(&topology, read_made);
    EXPECT(t, strcmp(topology.source, "cpuid-1") == 0);
    EXPECT_EQ(t, topology.core_shift, 1);
    EXPECT_EQ(t, topology.package_shift, 3);
    new_processor(true); /* 8 threads of 4 cores, ids of 4 bits: 80000008h and 8000001Eh */
    add(0x80000008, 0, 0, 0, 4u << 12 | 7, 0);
    add(0x8000001e, 0, 0, 1u << 8, 0, 0);
    cpuid_topology_decode(&topology, read_made);
    EXPECT(t, strcmp(topology.source, "cpuid-80000008h") == 0);
    EXPECT_EQ(t, topology.core_shift, 1);
    EXPECT_EQ(t, topology.package_shift, 4);
    new_processor(false); /* one core, no threads, no leaves */
    cpuid_topology_decode(&topology, read_made);
    EXPECT_EQ(t, topology.package_shift, 0);
}
KTEST(cpuid_topology, old_processors, KTEST_QUICK);

static void refuses(struct ktest *t, const char *source, const char *refused)
{
    struct cpuid_topology topology;

    cpuid_topology_decode(&topology, read_made);
    EXPECT(t, topology.source && strcmp(topology.source, source) == 0);
    EXPECT(t, topology.refused && strcmp(topology.refused, refused) == 0);
}

static void absurd_widths_fall_back(struct ktest *t)
{
    new_processor(false); /* it shrinks */
    domain(0x1f, 0, 1, 3, 2);
    domain(0x1f, 1, 2, 2, 4);
    domain(0xb, 0, 1, 1, 2);
    domain(0xb, 1, 2, 3, 8);
    refuses(t, "cpuid-0bh", "cpuid-1fh");
    new_processor(false); /* more CPUs than numbers */
    domain(0xb, 0, 1, 1, 4);
    refuses(t, "cpuid-1", "cpuid-0bh");
    new_processor(false); /* a core of 2^31 threads */
    domain(0xb, 0, 1, 31, 2);
    refuses(t, "cpuid-1", "cpuid-0bh");
}
KTEST(cpuid_topology, absurd_widths_fall_back, KTEST_QUICK);

static void last_cache_stays_between_core_and_package(struct ktest *t)
{
    struct cpuid_topology topology;

    new_processor(false);
    domain(0xb, 0, 1, 1, 2);
    domain(0xb, 1, 2, 4, 16);
    cache(4, 0, 3, 3, 4096);
    cpuid_topology_decode(&topology, read_made);
    EXPECT_EQ(t, topology.llc_shift, 4);
    nr_made--;
    cache(4, 0, 3, 2, 1); /* shared by one thread of two, it says */
    cpuid_topology_decode(&topology, read_made);
    EXPECT_EQ(t, topology.llc_shift, 1);
    nr_made--;
    cache(4, 0, 1, 1, 2); /* no more than a first level: nobody knows */
    cpuid_topology_decode(&topology, read_made);
    EXPECT_EQ(t, topology.llc_shift, 4);
}
KTEST(cpuid_topology, last_cache_stays_between_core_and_package, KTEST_QUICK);

/* I1, I2: also where all subleaves answer for ever. */
static void any_answers_are_survived(struct ktest *t)
{
    unsigned wrong = 0;
    struct random r;

    random_seed(&r, t->seed);
    for (unsigned i = 0; i < (t->full ? 200000u : 2000u); i++) {
        struct cpuid_topology topology;

        new_processor(i & 1);
        made_random = &r;
        cpuid_topology_decode(&topology, read_made);
        wrong += topology.core_shift > topology.cluster_shift ||
                 topology.cluster_shift > topology.llc_shift ||
                 topology.llc_shift > topology.die_shift ||
                 topology.die_shift > topology.package_shift || topology.package_shift > 31;
    }
    made_random = NULL;
    EXPECT_EQ(t, wrong, 0);
}
KTEST(cpuid_topology, any_answers_are_survived, KTEST_QUICK);
