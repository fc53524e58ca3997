/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured: storms of one name are a block, their designs its columns, a case on a number
 * of CPUs a row.
 */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/statistics.h"
#include "bench/team.h"

/* One design in one row. */
struct cell {
    const struct storm *storm;
    const char *absent;     /* why there are no numbers; NULL when there are */
    struct team *team;      /* while the row is measured */
    struct sample *samples; /* until the row is printed */
    uint32_t nr_samples;
    bool is_crowd;           /* its CPUs took turns: no gaps were looked for */
    struct statistics stats; /* of ps_per_op */
    uint32_t ratio_milli;    /* median slowest / fastest CPU */
    uint32_t gaps, gap_samples;
    uint64_t gap_ps, smis;
};

struct row {
    uint32_t nr_cpus;
    const uint32_t *cpus;
    struct cell *cells; /* block->nr_storms of them, in the block's order */
};

struct block {
    const char *name;            /* the storms' */
    const struct storm **storms; /* by column */
    uint32_t nr_storms;
    /* Progress and time. */
    uint32_t rows_planned, rows_done;
    uint64_t begin_stamp;
};

/* The storms of the next block after `previous` (NULL: the first) in the report's order, those
 * that the user wants. 0; -CS_ENOENT behind the last; -CS_ENOMEM. */
int plan_next_block(const char *previous, struct block *out) must_check;
void plan_block_free(struct block *block);

/* Whether the case belongs to the chosen suite. The first case of a storm that has none for the
 * quick suite does: such a storm is measured only when it was asked for by name. */
bool plan_case_wanted(const struct storm *storm, uint32_t case_index);
/* The i-th row of a case: its CPUs. False behind the last. */
bool plan_row(const struct storm_case *cs, uint32_t i, struct row *out);
uint32_t plan_rows(const struct storm_case *cs);

#endif
