/* SPDX-License-Identifier: Apache-2.0 */
/* One row measured, its designs interleaved. See bench/schedule.h. */
#include "bench/schedule.h"

#include <arch/time.h>

#include "bench/params.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/shell.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/time.h"

void schedule_shuffle(uint32_t *order, uint32_t count, struct random *random)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = random_below(random, i), swap = order[i - 1];

        order[i - 1] = order[j];
        order[j] = swap;
    }
}

static void set_up_cell(struct cell *cell, const struct storm *storm, uint32_t case_index,
                        const struct row *row)
{
    cell->storm = storm;
    if (storm_subject_failed(storm)) {
        cell->absent = "its self-test failed";
        return;
    }
    if (case_index >= storm->nr_cases) {
        cell->absent = "it has no such case";
        return;
    }
    cell->samples = kmalloc(bench_settings.samples * sizeof(cell->samples[0]));
    if (!cell->samples) {
        cell->absent = "no memory";
        report_fail("storm %s/%s: no memory for its samples", storm->name,
                    storm_design_name(storm));
        return;
    }
    if (team_create(&cell->team, storm, &storm->cases[case_index], row->cpus, row->nr_cpus,
                    bench_settings.seed))
        cell->absent = "its setup failed";
    else
        cell->is_crowd = !storm->measure && team_is_crowd(cell->team);
}

/* When the row's share of the block's time is over; 0: it has no limit. */
static uint64_t row_deadline(const struct block *block)
{
    uint64_t now = arch_stamp_loose();
    uint64_t end = block->begin_stamp + time_ms_to_ticks(bench_settings.budget_s * 1000ull);
    uint32_t rows_left = MAX(block->rows_planned - block->rows_done, 1u);

    if (!bench_settings.budget_s)
        return 0;
    return (int64_t)(end - now) <= 0 ? now : now + (end - now) / rows_left;
}

static void sample_round(struct row *row, const uint32_t *order, uint32_t nr_cells)
{
    for (uint32_t i = 0; i < nr_cells; i++) {
        struct cell *cell = &row->cells[order[i]];

        uint32_t most = cell->storm->samples_max;

        if (!cell->absent && (!most || cell->nr_samples < most))
            team_sample(cell->team, &cell->samples[cell->nr_samples++]);
    }
}

/* A row that was begun has one sample at least. */
static void sample_rounds(const struct block *block, struct row *row, uint32_t *order,
                          uint64_t deadline, struct random *random)
{
    for (uint32_t round = 0; round < bench_settings.samples; round++) {
        bool over = deadline && (int64_t)(arch_stamp_loose() - deadline) > 0;

        if ((over && round >= bench_settings.samples_floor) || (round && shell_interrupted()))
            break;
        schedule_shuffle(order, block->nr_storms, random);
        sample_round(row, order, block->nr_storms);
    }
}

/* Everything between "no more printing" and "printing again". */
static void measure(const struct block *block, uint32_t case_index, struct row *row,
                    uint32_t *order)
{
    uint64_t deadline = row_deadline(block);
    struct random random;

    random_seed(&random, bench_settings.seed + block->rows_done * 0x10001ull);
    log_hush(true);
    for (uint32_t i = 0; i < block->nr_storms; i++)
        set_up_cell(&row->cells[i], block->storms[i], case_index, row);
    for (uint32_t i = 0; i < block->nr_storms; i++)
        if (!row->cells[i].absent)
            team_calibrate(row->cells[i].team);
    sample_rounds(block, row, order, deadline, &random);
    for (uint32_t i = 0; i < block->nr_storms; i++)
        if (row->cells[i].team)
            team_destroy(row->cells[i].team);
    log_hush(false);
}

static uint64_t median_ratio(const struct cell *cell, uint64_t *values)
{
    for (uint32_t i = 0; i < cell->nr_samples; i++)
        values[i] = cell->samples[i].ratio_milli;
    statistics_sort(values, cell->nr_samples);
    return values[cell->nr_samples / 2];
}

static void summarise(struct cell *cell, uint64_t *values, uint64_t *scratch)
{
    for (uint32_t i = 0; i < cell->nr_samples; i++) {
        values[i] = cell->samples[i].ps_per_op;
        cell->gaps += cell->samples[i].gaps;
        cell->gap_samples += cell->samples[i].gaps > 0;
        cell->gap_ps += cell->samples[i].gap_ps;
        cell->smis += cell->samples[i].smis;
    }
    statistics_of(values, cell->nr_samples, scratch, &cell->stats);
    cell->ratio_milli = (uint32_t)median_ratio(cell, values);
}

int schedule_row(const struct block *block, uint32_t case_index, struct row *row)
{
    uint32_t *order = kmalloc(block->nr_storms * sizeof(*order));
    uint64_t *values = kmalloc(2 * bench_settings.samples * sizeof(*values));

    row->cells = kzalloc(block->nr_storms * sizeof(row->cells[0]));
    if (!order || !values || !row->cells) {
        kfree(order);
        kfree(values);
        kfree(row->cells);
        return -CS_ENOMEM;
    }
    measure(block, case_index, row, order);
    for (uint32_t i = 0; i < block->nr_storms; i++)
        if (!row->cells[i].absent)
            summarise(&row->cells[i], values, values + bench_settings.samples);
    kfree(order);
    kfree(values);
    return 0;
}

void schedule_free_samples(const struct block *block, struct row *row)
{
    for (uint32_t i = 0; i < block->nr_storms; i++) {
        kfree(row->cells[i].samples);
        row->cells[i].samples = NULL;
    }
}

void schedule_free_row(const struct block *block, struct row *row)
{
    schedule_free_samples(block, row);
    kfree(row->cells);
}
