/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that a storm's CPUs fight for, where the port knows them (arch/lines.h). */
#ifndef BENCH_LINE_PASS_H
#define BENCH_LINE_PASS_H

#include "bench/plan.h"

/* A window of its own for each column of a row; prints its worst lines. Nothing on real machines. */
void line_pass(const struct block *block, uint32_t case_index, const struct row *row);

#endif
