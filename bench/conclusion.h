/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of a table in words: what each design costs, in times of the first column.
 *
 *   # => update obj=mm/inc=p1 at 4 CPUs: compared with flat, tree costs 0.36 times as much, atomic
 *   #   4.20, slots 0.98 (uncertain: slots)
 *
 * For the summary: the cheapest and the dearest of those that differ for certain.
 */
#ifndef BENCH_CONCLUSION_H
#define BENCH_CONCLUSION_H

#include "bench/plan.h"

void conclusion_print(const struct block *block, uint32_t case_index, const struct row *row);

#endif
