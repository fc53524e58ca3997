/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as Go benchmark lines, that benchstat reads (golang.org/design/14313-benchmark-format):
 *
 *   BenchmarkUpdate/design=tree/obj=mm/inc=pm32-8  5000000  135.0 ns/op  59259259 ops/s
 *
 * -N is the number of CPUs. One line a sample; values for which it has no room (LOG_COLUMNS) go to
 * a further line of the same name.
 */
#ifndef BENCH_GOLINES_H
#define BENCH_GOLINES_H

#include "bench/plan.h"

#define GOLINES_NAME_BYTES 160u

/* "BenchmarkUpdate/design=tree/obj=mm/inc=pm32-8"; where cpus= chose CPUs, which ones stands in the
 * name, so that rows of different ones are not compared: ".../on=node:0+cores-8". */
void golines_name(char name[GOLINES_NAME_BYTES], const struct storm *storm,
                  const struct storm_case *cs, uint32_t nr_cpus);

/* All samples of a cell, then a "# stat" line that sums them up. */
void golines_print(const struct cell *cell, const struct storm_case *cs, uint32_t nr_cpus);

/* ps as ns with four significant digits at least: "0.312", "31.25", "1234.5", "874000". */
#define NS_TEXT_BYTES 24u
char *golines_ns_text(char text[NS_TEXT_BYTES], uint64_t ps);

#endif
