/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot order. core/main.c runs the stages one after the other; drivers, tests and bench hang
 * their functions on a stage without core knowing them. Within a stage lower ranks run first.
 * Context of every init function: boot CPU, interrupts masked.
 */
#ifndef CORE_INIT_H
#define CORE_INIT_H

#include "core/registry.h"

enum init_stage {
    INIT_CONSOLE,  /* memory works; find a console (port I/O, firmware table) */
    INIT_FIRMWARE, /* read the firmware's tables: CPUs, nodes, timers (core/topology.h) */
    INIT_TIME,     /* offer time references (core/time.h) before calibration */
    INIT_LATE,     /* all CPUs are online */
    INIT_TEST,     /* the self-tests */
    INIT_BENCH,    /* the storms */
    INIT_STAGES,
};

struct boot_handoff;
/* What the boot path passed; set first thing. Its tables lie in memory that is not given away. */
extern const struct boot_handoff *kernel_handoff;

struct init_fn {
    enum init_stage stage;
    int rank;
    const char *name;
    void (*run)(void);
};

REGISTRY_DECLARE(init, const struct init_fn);

/* Runs one stage. */
void init_run(enum init_stage stage);

#define INIT_FN(fn, stage_, rank_)                                                                 \
    static const struct init_fn fn##_init = {                                                      \
        .stage = stage_, .rank = rank_, .name = #fn, .run = fn};                                   \
    REGISTRY_ADD(init, const struct init_fn, fn##_init)

#endif
