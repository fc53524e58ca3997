/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flat counter (counters/flat.h) in two parts: what updates read, and what folds write.
 *
 *   struct flat_split x 4: one line, read only        struct flat_counter x 4: lines of their own
 *   +------+--------+------+--------+---              +------------------------------+
 *   | area | folds -> ...  | area | folds -> ...      | lock | count | link | area   |
 *   +------+--------+------+--------+---              +------------------------------+
 *
 * Weakness of the published layout: the pointer to the per-CPU parts lies beside lock and count, so
 * that each fold by one CPU takes from all others the line that every update of theirs reads. On a
 * simulated machine of 384 CPUs that is 0.57 of the cost of the "+1" case.
 *
 * I1. `area` equals folds->area from init to destroy, and no line of struct flat_split is written
 *     in between. All else is counters/flat.h, whose functions do the work: bounds, list of
 *     counters, CPUs that stop, sums.
 * I2. The four counters of an object fill one line: the object must be aligned to it for I1 to pay
 *     (counter_align); kmalloc aligns by itself from a line up.
 *
 * Memory beside flat's: the folding part, 40 bytes a counter, against a counter of 16 bytes instead
 * of 40.
 */
#ifndef COUNTERS_FLAT_SPLIT_H
#define COUNTERS_FLAT_SPLIT_H

#include "counters/flat.h"

struct flat_split {
    percpu_area_t area; /* 0 = not initialised */
    struct flat_counter *folds;
};

/* As flat_init_many() and flat_destroy_many(). */
int flat_split_init_many(struct flat_split *counters, int64_t amount, unsigned nr) must_check;
void flat_split_destroy_many(struct flat_split *counters, unsigned nr);

/* What a part may be, from the batch: |part| <= half, in one comparison with width = 2 * half + 1.
 * Fixed with flat_batch. */
struct flat_split_range {
    uint64_t half, width;
};
extern struct flat_split_range flat_split_range;

static always_inline void flat_split_add(struct flat_split *counter, int64_t amount)
{
    percpu_area_t area = counter->area;
    int32_t part = this_cpu_read_s32(area);
    uint64_t next;

    do {
        next = (uint64_t)(int64_t)part + (uint64_t)amount;
        if (unlikely(next + flat_split_range.half >= flat_split_range.width)) {
            flat_fold(counter->folds, amount);
            return;
        }
    } while (unlikely(!this_cpu_try_cmpxchg_s32(area, &part, (int32_t)next)));
}

#endif
