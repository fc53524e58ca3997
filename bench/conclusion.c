/* SPDX-License-Identifier: Apache-2.0 */
/* What a table means, in words. See bench/conclusion.h. */
#include "bench/conclusion.h"

#include "bench/summary.h"
#include "bench/table.h"
#include "core/format.h"
#include "core/log.h"

#define TEXT_BYTES 448u /* of a line before it is broken: core/log.c takes 512 */
#define HEAD_BYTES 96u
#define WHAT_BYTES 48u

struct conclusion {
    const struct block *block;
    const struct row *row;
    const struct cell *base;
    char head[HEAD_BYTES]; /* "update obj=mm/inc=p1 at 4 CPUs" */
    const char *verb;
    char what[WHAT_BYTES]; /* "times as much" */
};

struct text {
    char line[TEXT_BYTES];
    size_t used;
};

static void add(struct text *text, const char *part)
{
    if (text->used < sizeof(text->line))
        text->used +=
            format_text(text->line + text->used, sizeof(text->line) - text->used, "%s", part);
}

/* What is measured without time needs no statistics to differ. */
static bool is_certain(const struct conclusion *c, const struct cell *cell)
{
    return cell->storm->measure || statistics_differ(&cell->stats, &c->base->stats);
}

static uint64_t permille(const struct conclusion *c, const struct cell *cell)
{
    return table_permille(cell->stats.median, c->base->stats.median);
}

static void add_ratios(const struct conclusion *c, struct text *text)
{
    char ratio[FORMAT_MILLI_BYTES], part[HEAD_BYTES];
    bool first = true;

    for (uint32_t i = 1; i < c->block->nr_storms; i++) {
        const struct cell *cell = &c->row->cells[i];

        if (cell->absent)
            continue;
        table_ratio_text(ratio, permille(c, cell));
        if (first)
            format_text(part, sizeof(part), " %s %s %s %s", storm_design_name(cell->storm), c->verb,
                        ratio, c->what);
        else
            format_text(part, sizeof(part), ", %s %s", storm_design_name(cell->storm), ratio);
        add(text, part);
        first = false;
    }
}

static void add_uncertain(const struct conclusion *c, struct text *text)
{
    uint32_t present = 0, uncertain = 0;

    for (uint32_t i = 1; i < c->block->nr_storms; i++) {
        present += !c->row->cells[i].absent;
        uncertain += !c->row->cells[i].absent && !is_certain(c, &c->row->cells[i]);
    }
    if (!uncertain)
        return;
    if (uncertain == present) {
        add(text, " (uncertain: all)");
        return;
    }
    add(text, " (uncertain:");
    for (uint32_t i = 1; i < c->block->nr_storms; i++)
        if (!c->row->cells[i].absent && !is_certain(c, &c->row->cells[i])) {
            add(text, " ");
            add(text, storm_design_name(c->row->cells[i].storm));
            add(text, --uncertain ? "," : ")");
        }
}

/* The one with the least, or the most, of those that are certain; NULL: none is. */
static const struct cell *extreme(const struct conclusion *c, bool most)
{
    const struct cell *best = NULL;

    for (uint32_t i = 1; i < c->block->nr_storms; i++) {
        const struct cell *cell = &c->row->cells[i];

        if (cell->absent || !is_certain(c, cell) || (permille(c, cell) > 1000) != most)
            continue;
        if (!best || (cell->stats.median > best->stats.median) == most)
            best = cell;
    }
    return best;
}

/* " tree 0.36 (the least)"; nothing for none. */
static void add_extreme(const struct conclusion *c, struct text *text, bool most)
{
    const struct cell *cell = extreme(c, most);
    char ratio[FORMAT_MILLI_BYTES], part[HEAD_BYTES];

    if (!cell)
        return;
    format_text(part, sizeof(part), "%s %s %s %s %s (the %s)", text->used ? "," : "",
                storm_design_name(cell->storm), c->verb, table_ratio_text(ratio, permille(c, cell)),
                c->what, most ? "most" : "least");
    add(text, part);
}

static void summarise(const struct conclusion *c)
{
    const char *base = storm_design_name(c->base->storm);
    struct text text = {.used = 0};

    add_extreme(c, &text, false);
    add_extreme(c, &text, true);
    if (text.used)
        summary_add("%s: compared with %s,%s", c->head, base, text.line);
    else
        summary_add("%s: no design differs from %s for certain", c->head, base);
}

void conclusion_print(const struct block *block, uint32_t case_index, const struct row *row)
{
    const struct storm *first = block->storms[0];
    const struct storm_case *cs = &first->cases[case_index];
    struct conclusion c = {.block = block, .row = row, .base = &row->cells[0]};
    struct text text = {.used = 0};

    if (block->nr_storms < 2 || c.base->absent || !c.base->stats.median)
        return;
    c.verb = first->measure ? "has" : "costs";
    format_text(c.what, sizeof(c.what), "times %s%s", first->measure ? "the " : "as much",
                first->measure ? first->unit : "");
    format_text(c.head, sizeof(c.head), "%s%s%s at %u CPU%s", block->name, *cs->name ? " " : "",
                cs->name, row->nr_cpus, row->nr_cpus == 1 ? "" : "s");
    text.used = format_text(text.line, sizeof(text.line), "=> %s: compared with %s,", c.head,
                            storm_design_name(c.base->storm));
    add_ratios(&c, &text);
    add_uncertain(&c, &text);
    log_line("%s", text.line);
    if (summary_wants(block, case_index))
        summarise(&c);
}
