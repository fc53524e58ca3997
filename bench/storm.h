/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A storm: one measured workload. A file in bench/storms/ is compiled once; a file in
 * bench/design_storms/ is compiled behind every counter design (counters/design.h) and registers one
 * storm for each, told apart by `design`. The harness (bench/harness.c) groups storms by name and
 * interleaves their designs.
 *
 * Life of a measurement of one case on a set of CPUs:
 *
 *   setup(run)                          boot CPU, once; allocate what is shared
 *     setup_cpu(run, me)                on each CPU, once
 *       loop(run, me, n) × many         the timed body: n operations; calibration, warm-up, samples
 *     teardown_cpu(run, me)             on each CPU
 *   teardown(run)                       boot CPU; frees, and checks what must hold: returning
 *                                       non-zero (after report_fail) fails the run
 *
 * loop() must do the same work for each of its n operations whatever n is, print nothing, allocate
 * nothing that it does not free within n operations (bounded growth), and be callable any number of
 * times. Interrupts are masked throughout. A loop that waits for another participant must give up
 * once run->ended is set: everybody has closed the window, and the other may have left.
 */
#ifndef BENCH_STORM_H
#define BENCH_STORM_H

#include <stdatomic.h>

#include "core/compiler.h"
#include "core/random.h"
#include "core/registry.h"
#include "counters/design.h"

struct storm_case {
    const char *name;      /* sub-benchmark path behind design=: "obj=mm/inc=pm32"; "" if only one */
    int64_t arg[4];        /* the storm's own */
    /* `case`s of published.csv that this one stands beside, as a comma list, or NULL. */
    const char *published;
    const char *published_variant; /* in place of the storm's own */
    bool one_cpu_only;     /* meaningless on more (cost of an uncontended primitive) */
    bool all_cpus_only;    /* has one row, of all CPUs, whatever cpus= says */
    bool in_quick;         /* part of the quick suite; a storm with none runs there by name alone */
    /* How many CPUs the case needs at least; 0 = 1. */
    uint32_t min_cpus;
    /* Runs on exactly the CPUs pair[0] and pair[1], whatever cpus= says; the results are printed as
     * a matrix. */
    bool is_pair;
    uint32_t pair[2];
};

#define STORM_METRICS_MAX 6
struct storm_metric {
    const char *unit; /* "err-pages", "B/obj", "wait-%" */
    int64_t milli;    /* value × 1000 */
};

struct storm_run {
    const struct storm *storm;
    const struct storm_case *cs;
    uint32_t nr_cpus;      /* that take part */
    const uint32_t *cpus;  /* their numbers */
    uint64_t seed;
    void *shared;          /* the storm's own, set by setup() */
    /* 1 once every CPU has closed its window; on a line of its own, written once a window. */
    cacheline_aligned _Atomic uint32_t ended;
};

/* One participant. Allocated on its own cache lines on its CPU's node. */
struct storm_cpu {
    uint32_t index; /* 0 … nr_cpus-1 within the run */
    uint32_t cpu;
    struct random random;
    void *private;  /* the storm's own, set by setup_cpu() */
    uint64_t sink;  /* results that must not be optimised away */
};

struct storm {
    const char *name;   /* "update": what bench= selects; "BenchmarkUpdate" in the report */
    const char *design; /* the variant ("locked"); NULL if there is one, or `counter` names it */
    /* bench/design_storms/: &this_design. Gives `design`, `subject` and `published_variant` where
     * they are NULL: its name, "counter_<name>", its published_as (measures_updates) or name. */
    const struct counter_design *counter;
    /* Measures updates alone: designs that are `updates_like` another are passed over. */
    bool measures_updates;
    /* The design that the others are compared with: the first column. NULL, or left out by
     * designs=: the first by rank. */
    const char *compare_with;
    const char *summary;
    const struct storm_case *cases;
    uint32_t nr_cases;
    int rank;           /* order of the storms in the report; designs: by rank, then by name */

    int (*setup)(struct storm_run *run);
    int (*setup_cpu)(struct storm_run *run, struct storm_cpu *me);
    void (*loop)(struct storm_run *run, struct storm_cpu *me, uint64_t n);
    void (*teardown_cpu)(struct storm_run *run, struct storm_cpu *me);
    int (*teardown)(struct storm_run *run);

    /*
     * Storms that measure something else than time: called once a sample in place of the window,
     * on the boot CPU; it may use smp_run(). There is no loop then; the first of metrics() is the
     * sample's value, in the table too, under `unit`. Not 0 (after report_fail): fails the run.
     */
    int (*measure)(struct storm_run *run);
    const char *unit;
    uint32_t samples_max; /* of a row, where each is long or gives the same; 0: as all storms */
    /* Printed once behind the rows of the block: the first column's. */
    void (*report)(void);

    /* Further values of the run for each sample's line (bytes, errors); returns how many. */
    unsigned (*metrics)(struct storm_run *run, struct storm_metric out[STORM_METRICS_MAX]);
    /* True: the harness makes a lock profile of the storm and names the bottleneck. */
    bool profile_locks;
    /* The tests whose failure means that this storm gets no numbers: a ktest subject. */
    const char *subject;
    /* `bench` of published.csv for this storm and `variant` for this design, or NULL.
     * published_variant may also be a comma list of design=variant ("flat-single=single"), since a
     * storm compiled behind every design cannot know its design's name when it is compiled; a
     * design that is not in the list has no published figure. */
    const char *published_bench, *published_variant;
    /* Length of a sample's window in `full` mode, for storms whose published figure is a rate over
     * a known time (one result a second); 0: the harness's own. */
    uint32_t window_ms_full;
};

REGISTRY_DECLARE(storms, const struct storm);
#define STORM(object) REGISTRY_ADD(storms, const struct storm, object)

#endif
