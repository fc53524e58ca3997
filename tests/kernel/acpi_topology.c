/* SPDX-License-Identifier: Apache-2.0 */
/* PPTT and SLIT, good and hostile: I1–I4 of drivers/acpi_pptt.c, drivers/acpi_slit.h. */
#include "core/random.h"
#include "core/selftest.h"
#include "drivers/acpi_pptt.h"
#include "drivers/acpi_slit.h"
#include "tests/kernel/acpi_made.h"

#define PLACES_MAX 64u

struct seen_places {
    uint32_t count;
    uint32_t uid[PLACES_MAX];
    struct arch_cpu_place place[PLACES_MAX];
    struct acpi_pptt pptt;
    struct acpi_issues issues;
};

static struct seen_places places;

static void see_place(void *arg, uint32_t uid, const struct arch_cpu_place *place)
{
    places.uid[places.count % PLACES_MAX] = uid;
    places.place[places.count++ % PLACES_MAX] = *place;
}

static void parse_pptt(const struct made *m)
{
    memset(&places, 0, sizeof(places));
    places.issues.quiet = true;
    acpi_pptt_parse(m->at, m->bytes, see_place, NULL, &places.pptt, &places.issues);
}

/* Returns its offset. `cache`: 0 for none. */
static uint32_t made_node(struct made *m, uint32_t flags, uint32_t parent, uint32_t uid,
                          uint32_t cache)
{
    const uint32_t words[6] = {(cache ? 24u : 20u) << 8, flags, parent, uid, cache != 0, cache};
    uint32_t offset = (uint32_t)m->bytes;

    made_append(m, words, cache ? 24 : 20);
    return offset;
}

static uint32_t made_cache(struct made *m, unsigned kind)
{
    uint8_t entry[24] = {1, 24, 0, 0, 1u << 4};
    uint32_t offset = (uint32_t)m->bytes;

    entry[21] = (uint8_t)(kind << 2);
    made_append(m, entry, sizeof(entry));
    return offset;
}

#define PACKAGE 1u
#define HAS_ID (1u << 1)
#define LEAF_WITH_ID (HAS_ID | 1u << 3)
#define THREAD (1u << 2)

/* Package > 2 dies > 2 clusters with a cache > 2 cores > 2 threads. */
static void all_levels(struct ktest *t)
{
    struct made m = made_table("PPTT", 2, 36);
    uint32_t l3 = made_cache(&m, 2), l1i = made_cache(&m, 1), uid = 0;
    uint32_t package = made_node(&m, PACKAGE, 0, 0, 0), package2 = made_node(&m, PACKAGE, 0, 1, 0);

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t die = i % 2 ? 0 : made_node(&m, 0, i ? package2 : package, 0, 0);
        uint32_t llc = made_node(&m, 0, die ? die : package2, 0, l3);
        uint32_t cluster = made_node(&m, 0, llc, 0, l1i);
        uint32_t core = made_node(&m, 0, cluster, 0, 0);

        for (uint32_t thread = 0; thread < 2; thread++)
            made_node(&m, LEAF_WITH_ID | THREAD, core, uid++, l1i);
    }
    parse_pptt(&m);
    EXPECT_EQ(t, places.count, 8);
    EXPECT_EQ(t, places.issues.count, 0);
    EXPECT_EQ(t, places.pptt.caches, 2);
    for (unsigned level = 0; level < TOPOLOGY_THREAD; level++)
        EXPECT(t, places.place[0].at[level] == places.place[1].at[level]);
    for (unsigned level = 1; level < TOPOLOGY_LEVELS; level++) /* each level is another node */
        EXPECT(t, places.place[0].at[level] != places.place[0].at[level - 1]);
    EXPECT_EQ(t, places.place[0].at[TOPOLOGY_PACKAGE], package);
    /* Without a die between them the package stands for it. */
    EXPECT_EQ(t, places.place[2].at[TOPOLOGY_DIE], places.place[2].at[TOPOLOGY_PACKAGE]);
    EXPECT(t, places.place[2].at[TOPOLOGY_LLC] != places.place[2].at[TOPOLOGY_DIE]);
}
KTEST(acpi_pptt, all_levels, KTEST_QUICK);

/* As QEMU's "virt" makes it: no caches, so the last cache is the package's. */
static void socket_cluster_core(struct ktest *t)
{
    struct made m = made_table("PPTT", 2, 36);
    uint32_t socket = made_node(&m, PACKAGE, 0, 0, 0), cluster = made_node(&m, 0, socket, 0, 0);
    uint32_t core = made_node(&m, LEAF_WITH_ID, cluster, 7, 0);

    parse_pptt(&m);
    EXPECT_EQ(t, places.count, 1);
    EXPECT_EQ(t, places.uid[0], 7);
    EXPECT_EQ(t, places.place[0].at[TOPOLOGY_LLC], socket);
    EXPECT_EQ(t, places.place[0].at[TOPOLOGY_CLUSTER], cluster);
    EXPECT_EQ(t, places.place[0].at[TOPOLOGY_CORE], core);
    EXPECT_EQ(t, places.place[0].at[TOPOLOGY_THREAD], core);
}
KTEST(acpi_pptt, socket_cluster_core, KTEST_QUICK);

/* I4, and parents that are no nodes: the CPU has no place, its neighbours keep theirs. */
static void parents_that_lead_nowhere(struct ktest *t)
{
    struct made m = made_table("PPTT", 2, 36);
    uint32_t package = made_node(&m, PACKAGE, 0, 0, 0), self = (uint32_t)m.bytes;

    made_node(&m, LEAF_WITH_ID, self, 1, 0);           /* its own parent */
    made_node(&m, LEAF_WITH_ID, UINT32_MAX, 2, 0);     /* past the end */
    made_node(&m, LEAF_WITH_ID, package + 1, 3, 0);    /* into the middle */
    made_node(&m, LEAF_WITH_ID, 4, 4, 0);              /* the header */
    made_node(&m, LEAF_WITH_ID, package, 5, 0xffff00); /* a cache past the end */
    parse_pptt(&m);
    EXPECT_EQ(t, places.count, 1);
    EXPECT_EQ(t, places.uid[0], 5);
    EXPECT_EQ(t, places.issues.count, 4);
}
KTEST(acpi_pptt, parents_that_lead_nowhere, KTEST_QUICK);

/* Revision 1 has no flag for leaves, and clusters have ids that are CPUs' as well. */
static void groups_with_ids(struct ktest *t)
{
    struct made m = made_table("PPTT", 1, 36);
    uint32_t package = made_node(&m, PACKAGE | HAS_ID, 0, 0, 0);

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t cluster = made_node(&m, HAS_ID, package, i, 0);

        for (uint32_t cpu = 2 * i; cpu < 2 * i + 2; cpu++)
            made_node(&m, HAS_ID, cluster, cpu, 0);
    }
    parse_pptt(&m);
    EXPECT_EQ(t, places.count, 8);
    EXPECT_EQ(t, places.pptt.leaves, 8);
    EXPECT_EQ(t, places.issues.count, 0);
    for (uint32_t cpu = 0; cpu < 8; cpu++)
        EXPECT_EQ(t, places.uid[cpu], cpu);
}
KTEST(acpi_pptt, groups_with_ids, KTEST_QUICK);

static void more_caches_than_fit(struct ktest *t)
{
    struct made m = made_table("PPTT", 2, 36);
    uint32_t package = made_node(&m, PACKAGE, 0, 0, 0);
    uint32_t leaf = made_node(&m, LEAF_WITH_ID, package, 1, 0);

    made_u32(&m, leaf + 16, UINT32_MAX); /* caches in an entry that has room for none */
    parse_pptt(&m);
    EXPECT_EQ(t, places.count, 1);
}
KTEST(acpi_pptt, more_caches_than_fit, KTEST_QUICK);

static uint32_t nr_distances, last_distance;

static void see_distance(void *arg, uint32_t from, uint32_t to, uint8_t distance)
{
    nr_distances++;
    last_distance = distance;
}

static uint32_t parse_slit(struct made *m, struct acpi_issues *issues)
{
    *issues = (struct acpi_issues){.quiet = true};
    nr_distances = 0;
    return acpi_slit_parse(m->at, m->bytes, see_distance, NULL, issues);
}

static void slit_is_read_and_checked(struct ktest *t)
{
    const uint8_t matrix[4] = {10, 21, 31, 10};
    struct made m = made_table("SLIT", 1, 44);
    struct acpi_issues issues;

    m.at[36] = 2;
    made_append(&m, matrix, sizeof(matrix));
    EXPECT_EQ(t, parse_slit(&m, &issues), 2);
    EXPECT_EQ(t, nr_distances, 4);
    EXPECT_EQ(t, issues.count, 0);
    m.at[45] = 9;  /* reserved */
    m.at[47] = 11; /* not 10 to itself */
    EXPECT_EQ(t, parse_slit(&m, &issues), 2);
    EXPECT_EQ(t, nr_distances, 2);
    EXPECT_EQ(t, issues.count, 2);
    m.at[36] = 3; /* nine would be needed */
    EXPECT_EQ(t, parse_slit(&m, &issues), 0);
    memset(m.at + 36, 0xff, 8); /* N * N wraps */
    EXPECT_EQ(t, parse_slit(&m, &issues), 0);
    m.bytes = 40;
    EXPECT_EQ(t, parse_slit(&m, &issues), 0);
}
KTEST(acpi_slit, slit_is_read_and_checked, KTEST_QUICK);

/* Any bytes: both come back, read nothing behind the table (sanitizers), and call no more often
 * than entries fit. */
static void any_bytes_are_survived(struct ktest *t)
{
    struct random random;
    bool sane = true;

    random_seed(&random, t->seed);
    for (unsigned round = 0; round < (t->full ? 100000u : 500u); round++) {
        struct made m = made_table("PPTT", 2, 36 + random_below(&random, 400));
        struct acpi_issues issues;

        for (size_t i = 36; i < m.bytes; i++) /* small numbers make entries and offsets */
            m.at[i] = (uint8_t)random_below(&random, random_below(&random, 3) ? 40 : 256);
        parse_pptt(&m);
        sane &= places.count <= m.bytes / 20;
        (void)parse_slit(&m, &issues);
        sane &= nr_distances <= m.bytes;
    }
    EXPECT(t, sane);
}
KTEST(acpi_pptt, any_bytes_are_survived, KTEST_QUICK);
