/* SPDX-License-Identifier: Apache-2.0 */
/* Laying out the table, with the published figures, and saying it in words. See bench/table.h. */
#include "bench/table.h"

#include "bench/conclusion.h"
#include "bench/params.h"
#include "bench/published.h"
#include "core/format.h"
#include "core/log.h"
#include "core/string.h"

#define CELL_COLUMNS 18
#define BAND_CELLS 5u /* 2 + 6 + 5 × 18 = 98 columns */
#define LINE_BYTES 256u

struct table {
    const struct block *block;
    const struct storm_case *cs;
    const struct row *rows;
    uint32_t nr_rows;
};

static size_t add_cell(char *line, size_t used, const char *text)
{
    return used + format_text(line + used, LINE_BYTES - used, " %*s", CELL_COLUMNS - 1, text);
}

static void print_header(const struct table *t, uint32_t first, uint32_t end)
{
    char line[LINE_BYTES];
    size_t used = format_text(line, sizeof(line), " cpus ");

    for (uint32_t i = first; i < end; i++) {
        const char *name = storm_design_name(t->block->storms[i]);

        used = add_cell(line, used, *name ? name : t->block->name);
    }
    log_line("%s", line);
}

static void print_row(const struct table *t, const struct row *row, uint32_t first, uint32_t end)
{
    char line[LINE_BYTES], text[TABLE_CELL_BYTES];
    size_t used = format_text(line, sizeof(line), "%5u ", row->nr_cpus);

    for (uint32_t i = first; i < end; i++)
        used =
            add_cell(line, used, table_cell_text(text, &row->cells[i], i ? &row->cells[0] : NULL));
    log_line("%s", line);
}

/* The n-th figure beside any column; every (case, CPUs, machine) becomes a line once. */
static bool same_place(const struct published_row *a, const struct published_row *b)
{
    return a->cpus == b->cpus && strcmp(a->case_name, b->case_name) == 0 &&
           strcmp(a->machine, b->machine) == 0 && strcmp(a->unit, b->unit) == 0;
}

static const struct published_row *figure_at(const struct storm *storm, const struct storm_case *cs,
                                             const struct published_row *place)
{
    const struct published_row *figure;
    uint32_t at = 0;

    while ((figure = published_next(storm, cs, &at)))
        if (same_place(figure, place))
            return figure;
    return NULL;
}

static bool shown_before(const struct table *t, uint32_t column, const struct published_row *place)
{
    for (uint32_t i = 0; i < column; i++)
        if (figure_at(t->block->storms[i], t->cs, place))
            return true;
    return false;
}

static const char *unit_of(const struct block *block)
{
    return block->storms[0]->measure ? block->storms[0]->unit : "ns/op of each CPU";
}

/* The figures of one place that stand below these columns, if there are any. */
static void print_place(const struct table *t, const struct published_row *place, uint32_t first,
                        uint32_t end)
{
    char line[LINE_BYTES], text[PUBLISHED_TEXT_BYTES];
    size_t used = format_text(line, sizeof(line), "%5up", place->cpus), filled = 0;

    for (uint32_t i = first; i < end; i++) {
        const struct published_row *figure = figure_at(t->block->storms[i], t->cs, place);

        used = add_cell(line, used, figure ? published_text(text, figure, unit_of(t->block)) : "");
        filled = figure ? used : filled;
    }
    line[filled] = '\0';
    if (filled)
        log_line("%s", line);
}

static void print_origin(const struct table *t, const struct published_row *place, uint32_t first,
                         uint32_t end)
{
    log_line("%5up: published: %s, %s, %s, %s%s", place->cpus, place->source, place->case_name,
             place->unit, place->machine,
             published_is_rate(place) ? "; converted to ns/op of each CPU: CPUs x 10^9 / rate"
                                      : "");
}

/* Calls print for every place once. */
static void each_place(const struct table *t, uint32_t first, uint32_t end,
                       void (*print)(const struct table *t, const struct published_row *place,
                                     uint32_t first, uint32_t end))
{
    const struct published_row *figure;

    for (uint32_t i = 0; i < t->block->nr_storms; i++) {
        uint32_t at = 0;

        while ((figure = published_next(t->block->storms[i], t->cs, &at)))
            if (!shown_before(t, i, figure))
                print(t, figure, first, end);
    }
}

/* What the marks mean, those that were used. */
static void print_legend(const struct table *t)
{
    bool few = false, gaps = false, crowd = false;

    for (uint32_t r = 0; r < t->nr_rows; r++)
        for (uint32_t i = 0; i < t->block->nr_storms; i++) {
            const struct cell *cell = &t->rows[r].cells[i];

            few |= !cell->absent && table_has_few_samples(cell);
            gaps |= cell->gaps > 0;
            crowd |= cell->is_crowd;
        }
    if (t->block->nr_storms > 1 || few || gaps || crowd)
        log_line("  %s%s%s%s",
                 t->block->nr_storms > 1 ? "*: the 95% intervals do not overlap  " : "",
                 few ? "~: fewer than 11 samples  " : "",
                 gaps ? "!: time was lost in it (SMI, steal)  " : "",
                 crowd ? "c: measured while CPUs took turns" : "");
}

static void print_absent(const struct table *t, const struct row *row)
{
    for (uint32_t i = 0; i < t->block->nr_storms; i++)
        if (row->cells[i].absent)
            log_line("note %s/%s at %u CPUs has no numbers: %s", t->block->name,
                     storm_design_name(t->block->storms[i]), row->nr_cpus, row->cells[i].absent);
}

void table_print(const struct block *block, uint32_t case_index, const struct row *rows,
                 uint32_t nr_rows)
{
    const struct table t = {block, &block->storms[0]->cases[case_index], rows, nr_rows};
    const char *base = storm_design_name(block->storms[0]);
    uint32_t bands = (block->nr_storms + BAND_CELLS - 1) / BAND_CELLS;
    uint32_t band = (block->nr_storms + bands - 1) / bands; /* bands of much the same width */

    log_line("%s%s%s [%s: median +-error %%%s%s]", block->name, *t.cs->name ? " " : "", t.cs->name,
             unit_of(block), block->nr_storms > 1 ? ", change in % against " : "",
             block->nr_storms > 1 ? base : "");
    for (uint32_t first = 0; first < block->nr_storms; first += band) {
        uint32_t end = MIN(first + band, block->nr_storms);

        print_header(&t, first, end);
        for (uint32_t r = 0; r < nr_rows; r++)
            print_row(&t, &rows[r], first, end);
        each_place(&t, first, end, print_place);
    }
    each_place(&t, 0, 0, print_origin);
    print_legend(&t);
    for (uint32_t r = 0; r < nr_rows; r++)
        print_absent(&t, &rows[r]);
    conclusion_print(block, case_index, &rows[nr_rows - 1]);
}
