/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface that every counter design fills: one file in counters/designs/ each.
 *
 * A design's file is compiled as the first part of a translation unit into which the build puts
 * every storm of bench/design_storms/ and every test of tests/design_tests/ behind it
 * (mk/sources.mk): a new design is measured and tested by existing. `this_design` is a static const
 * there, so the compiler sees through its function pointers: the timed loops call, and inline, the
 * design's own functions; no indirect call is left in them. The same object is in the registry, for
 * tests and reports.
 *
 * A counter holds a signed 64-bit total. "object" below: `nr` counters initialised together, an
 * array with counter_bytes between them, `counter_align`-aligned, zeroed before init_many.
 */
#ifndef COUNTERS_DESIGN_H
#define COUNTERS_DESIGN_H

#include "core/compiler.h"
#include "core/registry.h"
#include "counters/compare.h"

struct counter_design {
    const char *name;    /* "flat": in reports and as test subject counter_<name> */
    const char *summary; /* one line for people */
    size_t counter_bytes, counter_align;

    /* Every counter of the object starts at `amount`. 0, or -CS_ENOMEM with nothing kept and
     * destroy_many on it harmless. */
    int (*init_many)(void *counters, int64_t amount, unsigned nr);
    /* Harmless on counters never initialised (zeroed) or already destroyed. */
    void (*destroy_many)(void *counters, unsigned nr);

    void (*add)(void *counter, int64_t amount);
    int64_t (*read)(void *counter); /* approximate: O(1) where the design has it, else = sum */
    int64_t (*sum)(void *counter);  /* precise at rest */
    void (*set)(void *counter, int64_t value); /* no concurrent updates */
    /* -1, 0, 1: the precise total against value; may decide by the approximation when it is sure */
    int (*compare)(void *counter, int64_t value);

    /* |read - sum| at rest never exceeds this, on `cpus` CPUs, in units of the counter. */
    uint64_t (*error_bound)(uint32_t cpus);
    /* Bytes beyond counter_bytes that an object of `nr` counters needs on `cpus` CPUs, by
     * arithmetic (rounding of allocators not included). */
    uint64_t (*memory_bytes)(uint32_t cpus, unsigned nr);

    /* --- optional --- */

    /*
     * Lazy designs: before activate() an object has no per-CPU memory and its counters are exact;
     * the CPU that called init_many stands for its owner (a task), whose updates need no atomic.
     * activate() is what a second thread that joins the object causes: any CPU, beside updates and
     * reads. It may run again, and at once on several CPUs. 0, or -CS_ENOMEM, which leaves the
     * object as it was. After it no CPU is the owner. NULL: always active.
     * error_bound and memory_bytes speak of the active object; before, both are 0.
     */
    int (*activate)(void *counters, unsigned nr);
    /*
     * Designs that care who runs in an object's process: this CPU begins, or ends, to run a task
     * of the process whose counters these are; what the scheduler's switch calls. An add without
     * is right as well, but may be slower or less accurate (the design's file says). NULL: not
     * needed.
     */
    void (*enter)(void *counters, unsigned nr);
    void (*leave)(void *counters, unsigned nr);
    /* -1, 0, 1: the precise total of a counter against that of another one of the design; may
     * decide by the approximations when they are sure. NULL: see counter_compare_with(). */
    int (*compare_with)(void *counter, void *other);
    /* `cpu` runs no more: what it holds of any counter goes where readers of the approximation see
     * it. NULL: nothing is lost or hidden when a CPU stops. */
    void (*cpu_dead)(uint32_t cpu);
    /*
     * Carries in flight: beside updates of at most `largest` in size, one at a time on each of
     * `cpus` CPUs, read() is off the total by no more than error_bound + transient_bound, and sum()
     * by no more than sum_transient_bound, at every instant. The total: of what was added so far;
     * an update that runs is in it or not, one for each CPU, and while sum() walks so are those
     * that began meanwhile. NULL: 0.
     */
    uint64_t (*transient_bound)(uint32_t cpus, uint64_t largest);
    uint64_t (*sum_transient_bound)(uint32_t cpus, uint64_t largest);
    /* The design promises: at no CPU count 1 ... 8192 a larger error_bound than "flat", and from 16
     * CPUs at most 0.9 of its memory_bytes for COUNTERS_PER_MM. Tests hold it to that. */
    bool never_worse_than_flat;
    /* sum() beside updates is the total at one instant between its call and its return. */
    bool sum_is_linearizable;

    /* For designs that differ from another in init and destroy alone ("flat-single" from "flat"):
     * the other's name. Storms that measure updates pass over them. */
    const char *updates_like;
    /* Name under which published.csv has this design's update figures, or NULL. */
    const char *published_as;
};

REGISTRY_DECLARE(counter_designs, const struct counter_design);

/* COUNTER_DESIGN("name", .summary = ..., ...): once a file, at its end. */
#define COUNTER_DESIGN(name_, ...)                                                                 \
    static const char this_design_subject[] __attribute__((unused)) = "counter_" name_;            \
    static const struct counter_design this_design = {.name = name_, __VA_ARGS__};                 \
    REGISTRY_ADD(counter_designs, const struct counter_design, this_design)

/* What a second thread that joins the object of `counters` causes; see activate above. */
static always_inline must_check int counter_activate(const struct counter_design *design,
                                                     void *counters, unsigned nr)
{
    return design->activate ? design->activate(counters, nr) : 0;
}

static always_inline int counter_compare_with(const struct counter_design *design, void *counter,
                                              void *other)
{
    return design->compare_with ? design->compare_with(counter, other)
                                : counter_order(design->sum(counter), design->sum(other));
}

#define COUNTERS_PER_MM 4u /* NR_MM_COUNTERS of facts.md F1 */

#endif
