/* SPDX-License-Identifier: Apache-2.0 */
/* The flat counter initialised one by one: as many per-CPU areas and list lock holds as counters
 * (facts.md F1, before the fix). Updates are those of "flat". */
#include "counters/flat_design.h"

static void flat_single_destroy_many(void *array, unsigned nr)
{
    struct flat_counter *counters = array;

    for (unsigned i = 0; i < nr; i++)
        flat_destroy(&counters[i]);
}

static int flat_single_init_many(void *array, int64_t amount, unsigned nr)
{
    struct flat_counter *counters = array;

    for (unsigned i = 0; i < nr; i++) {
        int error = flat_init(&counters[i], amount);

        if (error) {
            flat_single_destroy_many(counters, i);
            return error;
        }
    }
    return 0;
}

COUNTER_DESIGN("flat-single", .summary = "flat, each counter initialised by itself",
               FLAT_DESIGN_OPS, FLAT_DESIGN_DEFAULT_BATCH, .init_many = flat_single_init_many,
               .destroy_many = flat_single_destroy_many, .updates_like = "flat");
