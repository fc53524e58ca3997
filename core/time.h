/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time: the port's stamp, and how long a tick of it is.
 *
 * The rate comes from the best of: an exact claim (hosted), a measured comparison with a reference
 * clock (drivers: HPET, ACPI PM timer, PIT), a claim alone. Two independent sources are compared
 * where there are two, and the report states source, rate and disagreement in ppm.
 */
#ifndef CORE_TIME_H
#define CORE_TIME_H

#include <arch/time.h>

#include "core/compiler.h"
#include "core/registry.h"

/* A free-running counter of known rate. core/time_calibrate.c checks that it moves. */
struct time_reference {
    const char *name;
    int rank; /* higher is preferred */
    uint64_t hz;
    uint64_t mask; /* counter width: differences are taken modulo mask + 1 */
    int (*probe)(struct time_reference *ref); /* finds it, sets hz and mask */
    uint64_t (*read)(struct time_reference *ref);
};

REGISTRY_DECLARE(time_references, struct time_reference);
#define TIME_REFERENCE(object) REGISTRY_ADD(time_references, struct time_reference, object)

/* Calibrates; bounded to a few tens of ms. Never fails: where nothing is known it says so, takes
 * 1 GHz, and the report is marked as untimed. */
void time_init(void);

uint64_t time_stamp_hz(void);
const char *time_source(void);
/* False where the rate is not known at all: the report's ns are ticks. */
bool time_is_known(void);
/* Measured spread of the stamp between CPUs, in ticks; set by time_check_sync() when all are up. */
void time_check_sync(void);
void time_report(void);
void time_report_sync(void);

/* Differences of stamps; overflow-safe to days. A negative difference (stamps out of step) is 0. */
uint64_t time_ticks_to_ps(uint64_t ticks);
uint64_t time_ticks_to_ns(uint64_t ticks);
uint64_t time_ns_to_ticks(uint64_t ns);
uint64_t time_ms_to_ticks(uint64_t ms);

/* Busy wait, any CPU. Before time_init() it counts by the port's best guess and is at least ns. */
void time_delay_ns(uint64_t ns);

#endif
