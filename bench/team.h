/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A team: one storm (of one design) set up on one set of CPUs, and the timed windows that it runs.
 *
 *      barrier   start            own window closes          all have closed
 *   CPU 0 --|------|===== counted ======|.... not counted ....|
 *   CPU 1 --|------|======== counted ========|............... |
 *   CPU 2 --|------|==== counted =====|.......................|
 *
 * I1. Nobody stops working before the last one has closed its window: all count against the same
 *     load. (Except in a crowd, bench/calibrate.c: many CPUs that take turns on few processors
 *     never run together, and sleep once their own window is closed; the report says so.)
 * I2. Nothing is printed, allocated or freed by the harness between start and end.
 * I3. Whoever does not come within the deadline is named, asked where it is, and the run panics:
 *     any member can find out, so that a boot CPU that hangs is found too.
 *
 * Context: boot CPU, interrupts masked. A team's members run with interrupts masked.
 */
#ifndef BENCH_TEAM_H
#define BENCH_TEAM_H

#include "bench/barrier.h"
#include "bench/storm.h"

/* One sample: what a window counted, all members together. */
struct sample {
    uint64_t ps_per_op;   /* of one CPU: nr_cpus / (operations of all in a second) */
    uint64_t milli_ops_s; /* of all CPUs together */
    uint64_t ops;         /* counted, of all CPUs */
    uint64_t window_ps;   /* longest member's counted time */
    uint32_t ratio_milli; /* slowest / fastest CPU, × 1000 */
    uint32_t gaps;        /* chunks that took far longer than the others of their CPU */
    uint64_t gap_ps;      /* time lost in them */
    uint64_t smis;        /* where the processor counts them */
    unsigned nr_metrics;
    struct storm_metric metrics[STORM_METRICS_MAX];
};

struct participant {
    struct storm_cpu cpu; /* handed to the storm */
    uint64_t chunk;       /* operations between two looks at the clock */
    uint64_t chunk_ticks; /* the shortest that such a chunk took */
    /* Results, written by the member when its window is closed. */
    uint64_t ops, ticks, cycles, gap_ticks, smis;
    uint32_t gaps;
    /* enum member_phase; for I3. A line of its own would be wasted: it changes thrice a window. */
    _Atomic uint32_t phase;
};

struct team {
    struct storm_run run;
    struct participant **members; /* each on its own CPU's node; NULL until set up */
    bool counts_lines;            /* bench/line_pass.c */
    _Atomic int error;            /* the first of setup_cpu; 0: none */
};

/* The case's setup() and setup_cpu(). 0, or the error (undone; it fails the report). `cpus` is
 * kept. */
int team_create(struct team **team, const struct storm *storm, const struct storm_case *cs,
                const uint32_t *cpus, uint32_t nr_cpus, uint64_t seed) must_check;
/* teardown_cpu(), teardown(), frees. What teardown() found wrong fails the report. */
void team_destroy(struct team *team);

/* Finds each member's chunk under the team's own load; also the warm-up. */
void team_calibrate(struct team *team);
/* Its members take turns on a few processors (bench/calibrate.c). */
bool team_is_crowd(const struct team *team);
void team_sample(struct team *team, struct sample *out);

/* Which member of the team `cpu` is. Panics when it is none. */
uint32_t team_index(const struct team *team, uint32_t cpu);

/* Name of the design or variant, "" for none; the test subject whose failure bars the storm. */
const char *storm_design_name(const struct storm *storm);
bool storm_subject_failed(const struct storm *storm);

#endif
