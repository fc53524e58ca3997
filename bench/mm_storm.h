/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the exec and fork storms have beside their timed loops (bench/design_storms/): the same for
 * every counter design, compiled once.
 */
#ifndef BENCH_MM_STORM_H
#define BENCH_MM_STORM_H

#include "bench/mm_model.h"
#include "bench/storm.h"

/* One CPU's share: storm_cpu.private. Read by others only when all are at rest. */
struct mm_storm_cpu {
    struct mm_task task;
    struct mm *parent;   /* fork: the process that forks */
    uint64_t execs;
    uint64_t nomem;      /* cycles that ended early, all taken down again */
    uint64_t unbalanced; /* counters that were not 0 at the end */
};

int mm_storm_setup(struct storm_run *run);
int mm_storm_setup_cpu(struct storm_run *run, struct storm_cpu *me);
void mm_storm_teardown_cpu(struct storm_run *run, struct storm_cpu *me);
/* Fails the run when a counter was not 0, memory ran out, or anything was not given back. */
int mm_storm_teardown(struct storm_run *run);
/* pages/op (order-0 pages taken and given back) and lru-locks/op; averages since setup. */
unsigned mm_storm_metrics(struct storm_run *run, struct storm_metric out[STORM_METRICS_MAX]);

#endif
