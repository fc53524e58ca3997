/* SPDX-License-Identifier: Apache-2.0 */
/* The results of pair cases (bench/storm.h) as a matrix: who to whom. */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H

#include "bench/plan.h"

#define MATRIX_MAX_CPUS 8u

struct matrix {
    uint32_t nr_cpus; /* one more than the highest number seen */
    uint64_t ps[MATRIX_MAX_CPUS][MATRIX_MAX_CPUS];
};

void matrix_put(struct matrix *m, const uint32_t pair[2], uint64_t ps);
void matrix_print(const struct matrix *m, const char *storm);

#endif
