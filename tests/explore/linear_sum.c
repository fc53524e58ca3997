/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Designs whose sum is linearizable (counters/exact.h has the theorem): an update that a sum counts
 * brings with it every update that had returned before it was called, as far as the CPUs know of
 * each other; a later sum counts what an earlier one did.
 *
 *   CPU 0             CPU 1                    CPU 2
 *   add X             knows of Y?              knows of X?
 *   says so           sum, sum                 add Y
 *                                              says so
 */
#include <stdatomic.h>

#include "arch/sim/explore/scenario.h"
#include "core/compiler.h"
#include "core/slab.h"
#include "counters/design.h"

#define ALL 4u /* sets of X and Y */

static const struct counter_design *design;
static void *counter;
static cacheline_aligned _Atomic uint32_t x_is_done, y_is_done;
static EXPLORE_GHOST int64_t x, y;
static EXPLORE_GHOST bool y_knows_x;

static const struct counter_design *linear_design(uint32_t n)
{
    for (REGISTRY_EACH(counter_designs, const struct counter_design, p))
        if ((*p)->sum_is_linearizable && !n--)
            return *p;
    return NULL;
}

static const char *linear_name(uint32_t variant)
{
    const struct counter_design *d = linear_design(variant);

    return d ? d->name : NULL;
}

static void linear_begin(uint32_t variant)
{
    design = linear_design(variant);
    counter = kzalloc(design->counter_bytes);
    EXPLORE_CHECK(counter && !design->init_many(counter, 0, 1) &&
                      !counter_activate(design, counter, 1),
                  "no memory");
    explore_name(counter, design->counter_bytes, "counter");
}

/* In the leaf, over its batch, past the leaf. */
static int64_t size_of(uint32_t choice, int64_t unit)
{
    static const int64_t sizes[] = {1, 40, 1000};

    return sizes[choice] * unit;
}

static uint32_t counted_in(int64_t sum)
{
    for (uint32_t set = 0; set < ALL; set++)
        if (sum == (set & 1 ? x : 0) + (set & 2 ? y : 0))
            return set;
    EXPLORE_CHECK(false, "a sum is %lld, added are %lld and %lld", (long long)sum, (long long)x,
                  (long long)y);
    return 0;
}

static void sum_twice(void)
{
    bool knows_y = atomic_load_explicit(&y_is_done, memory_order_acquire);
    uint32_t first = counted_in(design->sum(counter)), second;

    EXPLORE_CHECK(!knows_y || first & 2, "an update that had returned is missing");
    EXPLORE_CHECK(!(first & 2 && y_knows_x) || first & 1, "counted is an update, not its past");
    second = counted_in(design->sum(counter));
    EXPLORE_CHECK(!(first & ~second), "the second sum misses what the first one counted");
    EXPLORE_CHECK(!(second & 2 && y_knows_x) || second & 1, "counted is an update, not its past");
}

static void linear_part(uint32_t i)
{
    if (i == 0) {
        x = size_of(explore_random(3), 1);
        design->add(counter, x);
        atomic_store_explicit(&x_is_done, 1, memory_order_release);
    } else if (i == 1) {
        sum_twice();
    } else {
        y = size_of(explore_random(3), 2);
        if (explore_random(2))
            explore_await_store(&x_is_done, sizeof(x_is_done));
        y_knows_x = atomic_load_explicit(&x_is_done, memory_order_acquire);
        design->add(counter, y);
        atomic_store_explicit(&y_is_done, 1, memory_order_release);
    }
}

static void linear_end(void)
{
    EXPLORE_CHECK(counted_in(design->sum(counter)) == ALL - 1, "an update is lost");
}

static const struct explore_scenario linear_sum = {
    .name = "linear-sum",
    .summary = "sums beside updates are the total at one instant",
    .cpus = 3,
    .variant = linear_name,
    .begin = linear_begin,
    .part = linear_part,
    .end = linear_end,
};
EXPLORE_SCENARIO(linear_sum);
