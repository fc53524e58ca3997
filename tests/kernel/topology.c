/* SPDX-License-Identifier: Apache-2.0 */
/* Dense numbers of places, on machines of this test's and on this one: I1, I2 of
 * core/topology_places.c; and that the fitted counter tree follows them. */
#include "core/random.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/fit_shape.h"

struct made_machine {
    uint32_t count;
    struct cpu *cpus;   /* by id */
    struct cpu **order; /* by place */
    uint32_t domains[TOPOLOGY_LEVELS];
};

static bool machine_make(struct ktest *t, struct made_machine *m, uint32_t count)
{
    m->count = count;
    m->cpus = kzalloc(count * sizeof(*m->cpus));
    m->order = kzalloc(count * sizeof(*m->order));
    if (!EXPECT(t, m->cpus && m->order))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        m->cpus[i].id = i;
        m->order[i] = &m->cpus[i];
    }
    return true;
}

static void machine_free(struct made_machine *m)
{
    kfree(m->order);
    kfree(m->cpus);
}

static void machine_number(struct made_machine *m)
{
    topology_number_places(m->order, m->count, m->domains);
}

static uint32_t number_of(const struct cpu *cpu, unsigned level)
{
    const uint32_t numbers[TOPOLOGY_LEVELS] = {cpu->package, cpu->die,  cpu->llc,
                                               cpu->cluster, cpu->core, cpu->thread};

    return numbers[level];
}

static bool same_domain(const struct cpu *a, const struct cpu *b, unsigned level)
{
    for (unsigned l = 0; l <= level; l++)
        if (a->place.at[l] != b->place.at[l])
            return false;
    return true;
}

/* Numbers are equal where, and only where, the domains are; and dense. */
static uint32_t numbering_faults(const struct made_machine *m)
{
    uint32_t bad = 0;

    for (unsigned level = 0; level < TOPOLOGY_THREAD; level++) {
        uint32_t highest = 0;

        for (uint32_t i = 0; i < m->count; i++) {
            highest = MAX(highest, number_of(&m->cpus[i], level));
            for (uint32_t j = 0; j < i; j++)
                bad += same_domain(&m->cpus[i], &m->cpus[j], level) !=
                       (number_of(&m->cpus[i], level) == number_of(&m->cpus[j], level));
        }
        bad += highest + 1 != m->domains[level];
    }
    return bad;
}

static void random_places_are_numbered_densely(struct ktest *t)
{
    struct random r;

    random_seed(&r, t->seed);
    for (uint32_t i = 0; i < (t->full ? 300u : 20u); i++) {
        struct made_machine m;

        if (machine_make(t, &m, 1 + random_below(&r, 60))) {
            for (uint32_t cpu = 0; cpu < m.count; cpu++)
                for (unsigned level = 0; level < TOPOLOGY_LEVELS; level++)
                    m.cpus[cpu].place.at[level] = random_below(&r, 3) * 0x123456789abcdefull;
            machine_number(&m);
            EXPECT_EQ(t, numbering_faults(&m), 0);
        }
        machine_free(&m);
    }
}
KTEST(topology, random_places_are_numbered_densely, KTEST_QUICK);

/* 2 packages of 12 caches of 8 cores of 2 threads; CPUs 0 … 191 are all first threads. */
static void machine_lay_384(struct made_machine *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t core = i % 192;

        m->cpus[i].place = (struct arch_cpu_place){{
            [TOPOLOGY_PACKAGE] = core / 96,
            [TOPOLOGY_DIE] = core / 96,
            [TOPOLOGY_LLC] = core / 8,
            [TOPOLOGY_CLUSTER] = core,
            [TOPOLOGY_CORE] = core,
            [TOPOLOGY_THREAD] = i / 192,
        }};
    }
}

static void siblings_that_are_listed_last(struct ktest *t)
{
    struct made_machine m;

    if (machine_make(t, &m, 384)) {
        machine_lay_384(&m);
        machine_number(&m);
        EXPECT_EQ(t, m.domains[TOPOLOGY_PACKAGE], 2);
        EXPECT_EQ(t, m.domains[TOPOLOGY_LLC], 24);
        EXPECT_EQ(t, m.domains[TOPOLOGY_CORE], 192);
        EXPECT_EQ(t, m.domains[TOPOLOGY_THREAD], 384);
        for (uint32_t i = 0; i < 192; i++) {
            EXPECT(t, m.cpus[i].core == i && m.cpus[i + 192].core == i);
            EXPECT(t, m.cpus[i].thread == 0 && m.cpus[i + 192].thread == 1);
            EXPECT(t, m.cpus[i].llc == i / 8 && m.cpus[i].package == i / 96);
        }
        EXPECT_EQ(t, numbering_faults(&m), 0);
    }
    machine_free(&m);
}
KTEST(topology, siblings_that_are_listed_last, KTEST_QUICK);

/* From these numbers tree-topo gets what the simulated machine showed best: 4 cores with their
 * siblings, above them 24 cores of one package. */
static void the_tree_follows(struct ktest *t)
{
    struct made_machine m;
    struct fit_place *place = kzalloc(384 * sizeof(*place));
    struct fit_path *paths = kzalloc(384 * sizeof(*paths));
    uint32_t *order = kzalloc(384 * sizeof(*order));
    struct fit_shape shape;

    if (machine_make(t, &m, 384) && EXPECT(t, place && paths && order)) {
        machine_lay_384(&m);
        machine_number(&m);
        for (uint32_t i = 0; i < m.count; i++)
            place[i] = (struct fit_place){m.cpus[i].package, m.cpus[i].core, m.cpus[i].thread};
        EXPECT(t, fit_topology_make(&shape, place, m.count, order, paths));
        EXPECT(t, shape.level[0].items == 48 && shape.level[1].items == 8);
        for (uint32_t i = 0; i < m.count; i++) {
            EXPECT_EQ(t, paths[i].position[0] - shape.level[0].first, i % 192 / 4);
            EXPECT_EQ(t, paths[i].position[1] - shape.level[1].first, i % 192 / 24);
        }
    }
    machine_free(&m);
    kfree(order);
    kfree(paths);
    kfree(place);
}
KTEST(topology, the_tree_follows, KTEST_QUICK);

/* What this machine's tables and CPUs say. */
static void this_machine_is_numbered(struct ktest *t)
{
    uint32_t threads = 0;

    for (uint32_t id = 0; id < nr_cpus; id++) {
        const struct cpu *cpu = cpu_get(id);

        EXPECT(t, cpu->package < topology_count(TOPOLOGY_PACKAGE));
        EXPECT(t, cpu->die < topology_count(TOPOLOGY_DIE));
        EXPECT(t, cpu->llc < topology_count(TOPOLOGY_LLC));
        EXPECT(t, cpu->cluster < topology_count(TOPOLOGY_CLUSTER));
        EXPECT(t, cpu->core < topology_count(TOPOLOGY_CORE));
        threads = MAX(threads, cpu->thread + 1);
    }
    EXPECT(t, threads * topology_count(TOPOLOGY_CORE) >= nr_cpus);
    EXPECT(t, topology_distance(0, 0) > 0);
}
KTEST(topology, this_machine_is_numbered, KTEST_QUICK);
