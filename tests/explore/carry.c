/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries through the items of trees with several levels, of machines larger than the simulated
 * one: by the published shape (counters/tree_items.h) and by the fitted one (counters/lines.h). At
 * rest nothing is lost, and every item is below its batch (I2 of tree_items.h).
 */
#include "arch/sim/explore/scenario.h"
#include "core/compiler.h"
#include "core/slab.h"
#include "counters/lines.h"

#define MACHINE_CPUS 384u
#define LEAF_BATCH 32u
#define CARRIES 4u
#define PARTS 3u

static const uint32_t cpus[PARTS] = {0, 1, 9}; /* two below one item of level 1, all of level 2 */

static struct tree_shape published;
static struct fit_shape fitted;
static struct fit_path paths[PARTS];
static bool is_fitted;
static struct tree_line *lines;
static EXPLORE_GHOST int64_t total;

static const char *const variants[] = {"published", "fitted"};

static const char *carry_variant(uint32_t variant)
{
    return variant < ARRAY_LEN(variants) ? variants[variant] : NULL;
}

static _Atomic int64_t *root(void)
{
    return &lines[0].item[0];
}

static void carry_begin(uint32_t variant)
{
    is_fitted = variant == 1;
    tree_shape_published(&published, MACHINE_CPUS, LEAF_BATCH);
    fit_shape_make(&fitted, MACHINE_CPUS, LEAF_BATCH);
    for (uint32_t i = 0; i < PARTS; i++)
        fit_path_make(&fitted, cpus[i], &paths[i]);
    lines = kzalloc((is_fitted ? fitted.nr_positions : published.nr_positions) * sizeof(*lines));
    EXPLORE_CHECK(lines != NULL, "no memory");
    explore_name(lines, (is_fitted ? fitted.nr_positions : published.nr_positions) * sizeof(*lines),
                 "lines");
}

/* Fills the items on the way up to near their batches, so that carries climb. */
static int64_t some_carry(void)
{
    static const int64_t batches[] = {1, 2, 7, 8, 9, 63, 64, 100};
    int64_t carry = batches[explore_random(ARRAY_LEN(batches))] * LEAF_BATCH;

    return explore_random(4) ? carry : -carry;
}

static void carry_part(uint32_t i)
{
    for (uint32_t k = 0; k < CARRIES; k++) {
        int64_t carry = some_carry();

        total += carry;
        if (is_fitted)
            fit_carry(&fitted, root(), &paths[i], carry);
        else
            tree_carry(&published, root(), cpus[i], carry);
    }
}

static int64_t item(uint32_t position)
{
    return atomic_load_explicit(tree_item(root(), position), memory_order_relaxed);
}

static void check_item(uint32_t position, int64_t batch, uint32_t level)
{
    EXPLORE_CHECK(item(position) < batch && item(position) > -batch,
                  "an item of level %u is left with %lld, its batch is %lld", level + 1,
                  (long long)item(position), (long long)batch);
}

static void carry_end(void)
{
    int64_t sum = is_fitted ? fit_items_sum(&fitted, root()) : tree_items_sum(&published, root());

    EXPLORE_CHECK(sum == total, "root and items are %lld, carried was %lld", (long long)sum,
                  (long long)total);
    for (uint32_t i = 0; i < PARTS && is_fitted; i++)
        for (uint32_t k = 0; k < fitted.nr_levels; k++)
            check_item(paths[i].position[k], fitted.level[k].batch, k);
    for (uint32_t k = 0; k < published.nr_levels && !is_fitted; k++)
        for (uint32_t n = 0; n < published.level[k].items; n++)
            check_item(published.level[k].first + n, published.level[k].batch, k);
}

static const struct explore_scenario carry_scenario = {
    .name = "carry",
    .summary = "carries through trees of several levels",
    .cpus = PARTS,
    .variant = carry_variant,
    .begin = carry_begin,
    .part = carry_part,
    .end = carry_end,
};
EXPLORE_SCENARIO(carry_scenario);
