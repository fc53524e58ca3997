/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report's conclusions, collected again behind the last storm: one line each, of the cases that
 * a quick run measures too (all of them stand behind "=>" in their blocks). A fixed number is kept;
 * what does not fit is counted. Context: boot CPU, between measurements.
 */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include "bench/plan.h"

/* Whether conclusions from this case belong into the summary. */
bool summary_wants(const struct block *block, uint32_t case_index);
void summary_add(const char *format, ...) printf_like(1, 2);
/* The block "summary"; nothing when there is nothing to say. */
void summary_print(void);

#endif
