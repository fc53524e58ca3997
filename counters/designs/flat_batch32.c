/* SPDX-License-Identifier: Apache-2.0 */
/* The flat counter with a batch of 32 whatever the number of CPUs: the tree's leaf error, bought
 * with the lock. */
#include "counters/flat_design.h"

#define FLAT_BATCH32 32

static always_inline void flat_batch32_add(void *counter, int64_t amount)
{
    flat_add_batch(counter, amount, FLAT_BATCH32);
}

static int flat_batch32_compare(void *counter, int64_t value)
{
    return flat_compare(counter, value, FLAT_BATCH32);
}

static int flat_batch32_compare_with(void *counter, void *other)
{
    return flat_compare_with(counter, other, FLAT_BATCH32);
}

static uint64_t flat_batch32_error_bound(uint32_t cpus)
{
    return flat_error_bound(cpus, FLAT_BATCH32);
}

COUNTER_DESIGN("flat-batch32", .summary = "flat with a fixed batch of 32", FLAT_DESIGN_OPS,
               FLAT_DESIGN_GROUPED_INIT, .add = flat_batch32_add, .compare = flat_batch32_compare,
               .compare_with = flat_batch32_compare_with, .error_bound = flat_batch32_error_bound,
               .published_as = "flat-batch32");
