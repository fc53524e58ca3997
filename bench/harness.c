/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The storms, one block after the other: for every case and number of CPUs a row is measured
 * (bench/schedule.c), then its samples are printed; behind the rows of a case stands its table.
 */
#include <arch/time.h>

#include "bench/golines.h"
#include "bench/line_pass.h"
#include "bench/lock_pass.h"
#include "bench/matrix.h"
#include "bench/params.h"
#include "bench/schedule.h"
#include "bench/summary.h"
#include "bench/table.h"
#include "bench/trust.h"
#include "core/errno.h"
#include "core/format.h"
#include "core/init.h"
#include "core/log.h"
#include "core/selftest.h"
#include "core/shell.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/time.h"
#include "core/wait.h"

#define LEFT_BYTES 48u
#define LOCK_PASS_MAX_CPUS 16u /* where CPUs outnumber the processors beneath them */

static struct matrix pair_matrix;
static uint64_t bench_begin_stamp;

static uint64_t ms_since(uint64_t stamp)
{
    return time_ticks_to_ns(arch_stamp_loose() - stamp) / 1000000;
}

/* ", about 7 s left of it": as if the rows to come took as long as those measured. */
static const char *left_text(char text[LEFT_BYTES], const struct block *block)
{
    uint32_t done = block->rows_done, left = block->rows_planned - MIN(done, block->rows_planned);

    text[0] = '\0';
    if (done && left)
        format_text(text, LEFT_BYTES, ", about %llu s left of this storm",
                    (unsigned long long)(ms_since(block->begin_stamp) * left / done / 1000 + 1));
    return text;
}

static void print_progress(const struct block *block, const struct storm_case *cs,
                           const struct row *row)
{
    char elapsed[FORMAT_MILLI_BYTES], left[LEFT_BYTES];
    uint64_t ms = ms_since(bench_begin_stamp);

    log_line("progress %s %u/%u: %s on %u CPU%s, %s s so far%s", block->name, block->rows_done + 1,
             block->rows_planned, *cs->name ? cs->name : block->name, row->nr_cpus,
             row->nr_cpus == 1 ? "" : "s", format_milli(elapsed, (int64_t)ms, 1),
             left_text(left, block));
}

static void print_row_samples(const struct block *block, const struct storm_case *cs,
                              const struct row *row)
{
    for (uint32_t i = 0; i < block->nr_storms; i++) {
        const struct cell *cell = &row->cells[i];

        if (cell->absent)
            continue;
        golines_print(cell, cs, row->nr_cpus);
        if (cs->is_pair)
            matrix_put(&pair_matrix, cs->pair, cell->stats.median / 2); /* there and back */
    }
}

/* Returns how many rows were measured: fewer than asked for when memory ran out or by ctrl-C. */
static uint32_t measure_rows(struct block *block, uint32_t case_index, struct row *rows,
                             uint32_t nr_rows)
{
    const struct storm_case *cs = &block->storms[0]->cases[case_index];

    for (uint32_t i = 0; i < nr_rows; i++) {
        if (shell_interrupted() || !plan_row(cs, i, &rows[i]))
            return i;
        print_progress(block, cs, &rows[i]);
        if (schedule_row(block, case_index, &rows[i])) {
            report_fail("storm %s: no memory for its results", block->name);
            return i;
        }
        block->rows_done++;
        print_row_samples(block, cs, &rows[i]);
        schedule_free_samples(block, &rows[i]);
    }
    return nr_rows;
}

/* On the most CPUs that were measured; where they take turns on few enough that a profiled lock,
 * which reads the clock, says something. */
static void profile_locks(const struct block *block, uint32_t case_index, const struct row *last)
{
    struct row row = *last;

    if (wait_oversubscribed() && row.nr_cpus > LOCK_PASS_MAX_CPUS) {
        row.nr_cpus = LOCK_PASS_MAX_CPUS;
        if (block->storms[0]->profile_locks)
            log_line("note locks are profiled on %u CPUs: these take turns", row.nr_cpus);
    }
    lock_pass(block, case_index, &row);
    line_pass(block, case_index, &row);
}

static void run_case(struct block *block, uint32_t case_index)
{
    const struct storm_case *cs = &block->storms[0]->cases[case_index];
    uint32_t nr_rows = plan_rows(cs), done;
    struct row *rows;

    if (!nr_rows) {
        if (!cs->is_pair)
            log_line("note %s %s needs %u CPUs: left out", block->name, cs->name, cs->min_cpus);
        return;
    }
    rows = kzalloc(nr_rows * sizeof(*rows));
    if (!rows) {
        report_fail("storm %s: no memory for its results", block->name);
        return;
    }
    done = measure_rows(block, case_index, rows, nr_rows);
    if (done && !cs->is_pair)
        table_print(block, case_index, rows, done);
    if (done && !shell_interrupted())
        profile_locks(block, case_index, &rows[done - 1]);
    for (uint32_t i = 0; i < done; i++)
        schedule_free_row(block, &rows[i]);
    kfree(rows);
}

/* A row gets its least number of samples whatever its share of the budget is. */
static void report_budget(const struct block *block)
{
    uint64_t s = (ms_since(block->begin_stamp) + 500) / 1000;

    if (bench_settings.budget_s && s > bench_settings.budget_s)
        log_line(
            "note %s is over its budget: %llu s instead of %u; the least number of samples (%u a "
            "row) and what stands beside them take that long",
            block->name, (unsigned long long)s, bench_settings.budget_s,
            bench_settings.samples_floor);
}

static void run_block(struct block *block)
{
    const struct storm *first = block->storms[0];

    report_block_begin(block->name);
    log_line("%s: %s", block->name, first->summary);
    memset(&pair_matrix, 0, sizeof(pair_matrix));
    block->begin_stamp = arch_stamp_loose();
    for (uint32_t i = 0; i < first->nr_cases && !shell_interrupted(); i++)
        if (plan_case_wanted(first, i))
            run_case(block, i);
    matrix_print(&pair_matrix, block->name);
    if (first->report)
        first->report();
    report_budget(block);
    report_block_end();
}

static void bench_main(void)
{
    struct block block;
    const char *previous = NULL;
    int error = -CS_ENOENT;

    if (bench_params_settle()) {
        report_fail("bench: no memory for its settings");
        return;
    }
    if (!bench_wanted())
        return;
    bench_begin_stamp = arch_stamp_loose();
    trust_report();
    bench_params_report();
    if (!selftest_was_run())
        log_line("note the self-tests were not run: nothing vouches for what is measured");
    while (!shell_interrupted() && (error = plan_next_block(previous, &block)) == 0) {
        run_block(&block);
        previous = block.name;
        plan_block_free(&block);
    }
    summary_print();
    if (error && error != -CS_ENOENT)
        report_fail("bench: no memory for the storms behind %s", previous ? previous : "the start");
    else if (!previous && !shell_interrupted())
        report_fail("bench: no storm was run");
}

INIT_FN(bench_main, INIT_BENCH, 0);
