/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of bench/published.csv, as the build put them into the image (tools/published.py). */
#ifndef BENCH_PUBLISHED_H
#define BENCH_PUBLISHED_H

#include "core/compiler.h"

struct storm;
struct storm_case;

struct published_row {
    const char *source, *bench, *variant, *case_name;
    uint32_t cpus;
    const char *unit, *value, *machine; /* value as published: also "5300-6500" */
};

extern const struct published_row published_rows[];
extern const uint32_t published_nr_rows;

/* The next figure, from *at on, that stands beside the case of this storm and design; NULL behind
 * the last. *at starts at 0. */
const struct published_row *published_next(const struct storm *storm, const struct storm_case *cs,
                                           uint32_t *at);

/* A rate of all CPUs together ("ops/s"), which the tables show as ns/op of each CPU. */
bool published_is_rate(const struct published_row *row);
/* The figure as it stands in a table in `table_unit`: a rate is converted, any other unit that does
 * not fit stands behind the value. */
#define PUBLISHED_TEXT_BYTES 32u
char *published_text(char text[PUBLISHED_TEXT_BYTES], const struct published_row *row,
                     const char *table_unit);

#endif
