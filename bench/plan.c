/* SPDX-License-Identifier: Apache-2.0 */
/* Which storms, designs, cases and CPU counts are measured, in which order. See bench/plan.h. */
#include "bench/plan.h"

#include "bench/params.h"
#include "core/errno.h"
#include "core/slab.h"
#include "core/string.h"

/* Designs that differ from another only in init and destroy would measure updates twice. */
static bool passed_over(const struct storm *s)
{
    return s->measures_updates && s->counter && s->counter->updates_like;
}

static bool has_quick_case(const struct storm *s)
{
    for (uint32_t i = 0; i < s->nr_cases; i++)
        if (s->cases[i].in_quick)
            return true;
    return false;
}

/* The quick suite leaves storms without a quick case out, unless bench= names them. */
static bool is_candidate(const struct storm *s)
{
    if (passed_over(s) || !bench_storm_wanted(s->name))
        return false;
    if (s->counter && !bench_design_wanted(s->counter->name))
        return false;
    return bench_settings.suite != SUITE_QUICK || has_quick_case(s) || bench_storm_named(s->name);
}

/* Blocks: by the storm's rank, then by name. */
static int compare_blocks(int rank_a, const char *a, int rank_b, const char *b)
{
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    return strcmp(a, b);
}

static int rank_of(const char *name)
{
    for (REGISTRY_EACH(storms, const struct storm, s))
        if (strcmp((*s)->name, name) == 0)
            return (*s)->rank;
    return 0;
}

static const char *next_name(const char *previous)
{
    const char *best = NULL;

    for (REGISTRY_EACH(storms, const struct storm, s)) {
        const char *name = (*s)->name;
        int rank = rank_of(name); /* the first one's: designs may differ */

        if (!is_candidate(*s))
            continue;
        if (previous && compare_blocks(rank, name, rank_of(previous), previous) <= 0)
            continue;
        if (!best || compare_blocks(rank, name, rank_of(best), best) < 0)
            best = name;
    }
    return best;
}

/* Columns: the one that others are compared with, then by rank, then by name. */
static bool comes_first(const struct storm *a, const struct storm *b)
{
    const char *name_a = storm_design_name(a), *name_b = storm_design_name(b);
    bool base_a = a->compare_with && strcmp(a->compare_with, name_a) == 0;
    bool base_b = b->compare_with && strcmp(b->compare_with, name_b) == 0;

    if (base_a != base_b)
        return base_a;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return strcmp(name_a, name_b) < 0;
}

static void insert_storm(struct block *block, const struct storm *storm)
{
    uint32_t at = block->nr_storms++;

    for (; at > 0 && comes_first(storm, block->storms[at - 1]); at--)
        block->storms[at] = block->storms[at - 1];
    block->storms[at] = storm;
}

static uint32_t count_rows(const struct storm *storm)
{
    uint32_t rows = 0;

    for (uint32_t i = 0; i < storm->nr_cases; i++)
        if (plan_case_wanted(storm, i))
            rows += plan_rows(&storm->cases[i]);
    return rows;
}

int plan_next_block(const char *previous, struct block *out)
{
    uint32_t count = 0;

    memset(out, 0, sizeof(*out));
    out->name = next_name(previous);
    if (!out->name)
        return -CS_ENOENT;
    for (REGISTRY_EACH(storms, const struct storm, s))
        count += strcmp((*s)->name, out->name) == 0;
    out->storms = kmalloc(count * sizeof(out->storms[0]));
    if (!out->storms)
        return -CS_ENOMEM;
    for (REGISTRY_EACH(storms, const struct storm, s))
        if (strcmp((*s)->name, out->name) == 0 && is_candidate(*s))
            insert_storm(out, *s);
    out->rows_planned = count_rows(out->storms[0]);
    return 0;
}

void plan_block_free(struct block *block)
{
    kfree(block->storms);
}

bool plan_case_wanted(const struct storm *storm, uint32_t case_index)
{
    if (bench_settings.suite != SUITE_QUICK || storm->cases[case_index].in_quick)
        return true;
    return case_index == 0 && !has_quick_case(storm);
}

static bool is_chosen(uint32_t cpu)
{
    for (uint32_t i = 0; i < bench_settings.nr_chosen; i++)
        if (bench_settings.cpus[i] == cpu)
            return true;
    return false;
}

static bool size_fits(const struct storm_case *cs, uint32_t size)
{
    return size >= MAX(cs->min_cpus, 1u);
}

bool plan_row(const struct storm_case *cs, uint32_t i, struct row *out)
{
    memset(out, 0, sizeof(*out));
    out->cpus = bench_settings.cpus;
    if (cs->is_pair) {
        out->cpus = cs->pair;
        out->nr_cpus = 2;
        return i == 0 && is_chosen(cs->pair[0]) && is_chosen(cs->pair[1]);
    }
    if (cs->one_cpu_only || cs->all_cpus_only) {
        out->nr_cpus = cs->one_cpu_only ? 1 : bench_settings.nr_chosen;
        return i == 0;
    }
    for (uint32_t s = 0; s < bench_settings.nr_sizes; s++) {
        out->nr_cpus = bench_settings.sizes[s];
        if (size_fits(cs, out->nr_cpus) && i-- == 0)
            return true;
    }
    return false;
}

uint32_t plan_rows(const struct storm_case *cs)
{
    struct row row;
    uint32_t rows = 0;

    while (plan_row(cs, rows, &row))
        rows++;
    return rows;
}
