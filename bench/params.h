/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user chose for the storms: bench= designs= cpus= samples= seed= window_us= budget_s=
 * deadline_ms= quick full. Settled once, before the first storm, when the machine is known.
 */
#ifndef BENCH_PARAMS_H
#define BENCH_PARAMS_H

#include "core/compiler.h"

enum bench_suite { SUITE_QUICK, SUITE_NORMAL, SUITE_FULL };

/* Samples that a row needs before its statistics are what the report promises. */
#define BENCH_ENOUGH_SAMPLES 11u

/* More CPUs than this that take turns on a few processors are a crowd (bench/calibrate.c). */
#define BENCH_CROWD_CPUS 16u

#define BENCH_SELECTION_BYTES 64u

struct bench_settings {
    enum bench_suite suite;
    uint32_t samples;       /* a row's aim */
    uint32_t samples_floor; /* what it gets even when its time is over */
    uint32_t window_us;
    bool window_was_given;    /* window_us= */
    uint32_t crowd_window_us; /* where many CPUs take turns on a few processors */
    uint32_t budget_s;      /* of a block (a storm), 0: none */
    uint32_t deadline_ms;   /* for CPUs to come back from a step */
    uint64_t seed;
    uint32_t *sizes;        /* numbers of CPUs, rising, up to nr_chosen */
    uint32_t nr_sizes;
    uint32_t *cpus;         /* the online CPUs that cpus= chose; a size takes the first ones */
    uint32_t nr_chosen;
    char selection[BENCH_SELECTION_BYTES]; /* which these are: "node:0+cores"; "": all */
};

extern struct bench_settings bench_settings;

/* Reports what is wrong in the parameters and puts the default in its place. -CS_ENOMEM. */
int bench_params_settle(void) must_check;

/* False for bench=none. */
bool bench_wanted(void);
bool bench_storm_wanted(const char *name);
/* By its own name, not by "all". */
bool bench_storm_named(const char *name);
/* Of counters: designs=. */
bool bench_design_wanted(const char *name);

const char *bench_suite_name(void);
/* Prints the chosen sizes, samples and budgets, and why. */
void bench_params_report(void);

#endif
