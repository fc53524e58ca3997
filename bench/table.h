/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table for people: a storm's case, a row for each number of CPUs, a column for each design.
 *
 *   # update obj=mm/inc=p1 [ns/op of each CPU: median +-error %, change in % against flat]
 *   #  cpus              flat      flat-batch32              tree
 *   #     1        12.31+-0.2   12.33+-0.1 +0.2    15.02+-0.4 +22*
 *   #   384p              288              4370                26
 *   #   384p: published: F2, mm+1, ns/op, 2x EPYC 9654
 *
 * Then one line that says it in words. Lines that need it are cut into bands of columns.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/plan.h"
#include "core/format.h"

/* rows: of one case, in the order of their CPU counts. */
void table_print(const struct block *block, uint32_t case_index, const struct row *rows,
                 uint32_t nr_rows);

/* "12.34", "123.4", "1234", "123.4k", "12.34M": four digits of a time in ns. */
#define TABLE_TIME_BYTES 32u
char *table_time_text(char text[TABLE_TIME_BYTES], uint64_t ps);

/* What `ps` is against `base_ps`, in percent: "-64", "+1.2", from ten times on "x12.3"; "" when
 * base_ps is 0. */
#define TABLE_CHANGE_BYTES 32u
char *table_change_text(char text[TABLE_CHANGE_BYTES], uint64_t ps, uint64_t base_ps);

/* "12.34+-1.2 -64*": one cell; `base` NULL for the column that the others are compared with. */
#define TABLE_CELL_BYTES 80u
char *table_cell_text(char text[TABLE_CELL_BYTES], const struct cell *cell,
                      const struct cell *base);

/* Fewer than what the statistics need, though the storm had asked for as many as there could be. */
bool table_has_few_samples(const struct cell *cell);

/* ps / base_ps × 1000, and how it is written: "0.36", "<0.001", "12.3". */
uint64_t table_permille(uint64_t ps, uint64_t base_ps);
char *table_ratio_text(char text[FORMAT_MILLI_BYTES], uint64_t permille);

#endif
