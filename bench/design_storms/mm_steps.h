/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the storms over the address-space model (bench/mm_model.h) do with the four counters of an
 * mm: the same steps, compiled behind every design.
 */
#ifndef BENCH_MM_STEPS_H
#define BENCH_MM_STEPS_H

#include "bench/mm_storm.h"
#include "counters/design.h"

static inline void *mm_steps_counter(char *counters, unsigned i)
{
    return counters + i * this_design.counter_bytes;
}

/* Faults that map several pages add 1 for each, those that replace one subtract. */
static always_inline void mm_steps_add_each(char *counters, const int32_t rss[MM_RSS_COUNTERS])
{
    for (unsigned i = 0; i < MM_RSS_COUNTERS; i++) {
        void *counter = mm_steps_counter(counters, i);

        for (int32_t n = rss[i]; n > 0; n--)
            this_design.add(counter, 1);
        for (int32_t n = rss[i]; n < 0; n++)
            this_design.add(counter, -1);
    }
}

/* Areas that are copied or taken down add once for each counter that changed. */
static always_inline void mm_steps_add_sum(char *counters, const int32_t rss[MM_RSS_COUNTERS])
{
    for (unsigned i = 0; i < MM_RSS_COUNTERS; i++)
        if (rss[i])
            this_design.add(mm_steps_counter(counters, i), rss[i]);
}

/* Maps the program and takes its faults. */
static inline int mm_steps_run(struct mm_task *task, struct mm *mm, char *counters)
{
    int error = mm_image_map(task, mm);

    for (unsigned i = 0; !error && i < MM_IMAGE_TOUCHES; i++) {
        int32_t rss[MM_RSS_COUNTERS] = {0};

        error = mm_fault(task, mm, mm_image_touches[i].va, mm_image_touches[i].write, rss);
        mm_steps_add_each(counters, rss);
    }
    return error;
}

static inline void mm_steps_exit(struct mm_task *task, struct mm *mm, char *counters)
{
    struct mm_gather gather;

    mm_exit_begin(&gather, task);
    for (unsigned i = 0; i < mm->leaf->nr; i++) {
        int32_t rss[MM_RSS_COUNTERS] = {0};

        mm_exit_area(&gather, mm, i, rss);
        mm_steps_add_sum(counters, rss);
    }
    mm_exit_end(&gather, mm);
}

/* How many of the counters are not 0: what check_mm looks for at the end of an mm. */
static inline uint64_t mm_steps_unbalanced(char *counters)
{
    uint64_t unbalanced = 0;

    for (unsigned i = 0; i < COUNTERS_PER_MM; i++)
        unbalanced += this_design.sum(mm_steps_counter(counters, i)) != 0;
    return unbalanced;
}

#endif
