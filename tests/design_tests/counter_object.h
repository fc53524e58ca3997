/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests that are compiled behind every design: objects of the design's counters, and
 * DESIGN_KTEST, which registers a test under the design's own subject, counter_<name>.
 */
#ifndef TESTS_COUNTER_OBJECT_H
#define TESTS_COUNTER_OBJECT_H

#include "core/selftest.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/design.h"

#define DESIGN_KTEST(fn, speed_)                                                                   \
    static const struct ktest_entry ktest_##fn = {                                                 \
        .subject = this_design_subject, .name = #fn, .speed = speed_, .run = fn};                  \
    REGISTRY_ADD(ktests, const struct ktest_entry, ktest_##fn)

struct counter_object {
    void *counters;
    unsigned nr;
};

static inline void *counter_of(const struct counter_object *o, unsigned i)
{
    return (char *)o->counters + i * this_design.counter_bytes;
}

/* The zeroed memory of `nr` counters, not initialised. */
static inline bool counter_object_alloc(struct ktest *t, struct counter_object *o, unsigned nr)
{
    o->nr = nr;
    o->counters = kzalloc(nr * this_design.counter_bytes);
    return EXPECT(t, o->counters);
}

/* Active: what a lazy design does before is tested in tests/kernel/counters_lazy.c. */
static inline bool counter_object_make(struct ktest *t, struct counter_object *o, int64_t amount,
                                       unsigned nr)
{
    if (!counter_object_alloc(t, o, nr))
        return false;
    if (EXPECT_EQ(t, this_design.init_many(o->counters, amount, nr), 0)) {
        if (EXPECT_EQ(t, counter_activate(&this_design, o->counters, nr), 0))
            return true;
        this_design.destroy_many(o->counters, nr);
    }
    kfree(o->counters);
    return false;
}

static inline void counter_object_free(struct counter_object *o)
{
    this_design.destroy_many(o->counters, o->nr);
    kfree(o->counters);
}

/* This CPU runs a task of the object's process, for designs that care. */
static inline void counter_enter(const struct counter_object *o)
{
    if (this_design.enter)
        this_design.enter(o->counters, o->nr);
}

static inline void counter_leave(const struct counter_object *o)
{
    if (this_design.leave)
        this_design.leave(o->counters, o->nr);
}

/* |read - sum|, exact over all of 64 bits as long as it is below 2^63. */
static inline uint64_t counter_error(void *counter)
{
    int64_t difference =
        (int64_t)((uint64_t)this_design.read(counter) - (uint64_t)this_design.sum(counter));

    return difference < 0 ? -(uint64_t)difference : (uint64_t)difference;
}

#endif
