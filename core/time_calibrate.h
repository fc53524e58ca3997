/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the stamp runs, by the reference clocks that answer. Used by core/time.c.
 *
 * At TIME_POINTS moments, TIME_INTERVAL_US apart, every reference is read between two stamps,
 * TIME_TRIES times, and the narrowest bracket is kept:
 *
 *   stamp ──[ref]── … 8 ms … ──[ref]── … 8 ms … ──[ref]── … 8 ms … ──[ref]──
 *
 * The rate is that from the first to the last point, unless the median of the three intervals
 * contradicts it (a counter that wrapped while a hypervisor ran something else): then the median's.
 * Half the brackets and one tick of the reference are the error bar.
 */
#ifndef CORE_TIME_CALIBRATE_H
#define CORE_TIME_CALIBRATE_H

#include "core/time.h"

#define TIME_REFERENCES_MAX 4u

struct time_measured {
    const char *name;
    uint64_t hz, error_hz; /* hz 0: it gave nothing */
};

/* Measures the stamp by every reference, best rank first; returns how many there are. */
unsigned time_calibrate(struct time_measured out[TIME_REFERENCES_MAX]);

/* One rate from two brackets: `ticks` of the stamp, known to ± bracket_ticks, were `count` of a
 * reference at ref_hz, known to ± 1. hz 0 when the reference did not move. */
struct time_measured time_rate(uint64_t ticks, uint64_t bracket_ticks, uint64_t count,
                               uint64_t ref_hz);

/* |a - b| in millionths of b. */
uint64_t time_ppm(uint64_t a, uint64_t b);

#endif
