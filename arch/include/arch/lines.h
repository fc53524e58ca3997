/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: which cache lines CPUs fight for. Only a model knows; the functions are weak and absent
 * in ports of real machines.
 */
#ifndef ARCH_LINES_H
#define ARCH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one line between arch_lines_reset() and arch_lines_stop(). Waiting is summed over all CPUs, stores that nobody waited
 * for included. */
struct arch_line {
    uintptr_t address;
    char name[64];                 /* "variable+offset"; empty where the port does not know */
    uint64_t far, near;            /* transfers between clusters of CPUs, inside of one */
    uint64_t ended;                /* copies taken away */
    uint64_t queued_ns, waited_ns; /* behind other requests; in all */
    uint32_t clusters;             /* that asked for it */
};

void arch_lines_reset(void) __attribute__((weak));
void arch_lines_stop(void) __attribute__((weak));
/* The i-th line by waited_ns. False past the last, or past those that are kept. Boot CPU. */
bool arch_lines_worst(uint32_t i, struct arch_line *out) __attribute__((weak));

#endif
