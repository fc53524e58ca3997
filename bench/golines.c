/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark lines. See bench/golines.h. */
#include "bench/golines.h"

#include "bench/params.h"
#include "core/format.h"
#include "core/log.h"
#include "core/string.h"

#define LINE_BYTES 256u
#define PAIR_BYTES 48u
#define STAT_BYTES 256u

void golines_name(char name[GOLINES_NAME_BYTES], const struct storm *storm,
                  const struct storm_case *cs, uint32_t nr_cpus)
{
    const char *design = storm_design_name(storm), *on = bench_settings.selection;
    char first = storm->name[0];

    if (first >= 'a' && first <= 'z')
        first = (char)(first - 'a' + 'A');
    format_text(name, GOLINES_NAME_BYTES, "Benchmark%c%s%s%s%s%s%s%s-%u", first, storm->name + 1,
                *design ? "/design=" : "", design, *cs->name ? "/" : "", cs->name,
                *on ? "/on=" : "", on, nr_cpus);
}

char *golines_ns_text(char text[NS_TEXT_BYTES], uint64_t ps)
{
    unsigned decimals = ps < 10000 ? 3 : ps < 1000000 ? 2 : ps < 100000000 ? 1 : 0;

    return format_milli(text, (int64_t)ps, decimals);
}

/* A benchmark line that is filled pair by pair. */
struct go_line {
    char text[LINE_BYTES];
    size_t used, head;
};

static void line_begin(struct go_line *line, const char *name, uint64_t iterations)
{
    line->used = line->head =
        format_text(line->text, LINE_BYTES, "%s %llu", name, (unsigned long long)iterations);
}

static void line_end(struct go_line *line)
{
    if (line->used > line->head)
        report_line("%s", line->text);
    line->used = line->head;
    line->text[line->used] = '\0';
}

static void line_add(struct go_line *line, const char *value, const char *unit)
{
    char pair[PAIR_BYTES];
    size_t bytes = format_text(pair, sizeof(pair), "  %s %s", value, unit);

    if (line->used > line->head && line->used + bytes > LOG_COLUMNS)
        line_end(line);
    bytes = MIN(bytes, sizeof(pair) - 1);
    if (line->used + bytes >= LINE_BYTES)
        return;
    memcpy(line->text + line->used, pair, bytes + 1);
    line->used += bytes;
}

static void print_sample(const struct sample *s, const char *name)
{
    struct go_line line;
    char value[FORMAT_MILLI_BYTES];

    line_begin(&line, name, s->ops);
    if (s->milli_ops_s) { /* 0: no time was measured */
        line_add(&line, golines_ns_text(value, s->ps_per_op), "ns/op");
        line_add(&line,
                 format_milli(value, (int64_t)s->milli_ops_s, s->milli_ops_s < 100000 ? 3 : 0),
                 "ops/s");
    }
    for (unsigned i = 0; i < s->nr_metrics; i++)
        line_add(&line,
                 format_milli(value, s->metrics[i].milli, s->metrics[i].milli % 1000 ? 3 : 0),
                 s->metrics[i].unit);
    line_end(&line);
}

static size_t add_interval(char *text, size_t used, const struct statistics *st)
{
    char low[NS_TEXT_BYTES], high[NS_TEXT_BYTES];

    if (!st->has_interval)
        return used + format_text(text + used, STAT_BYTES - used, " ci95=none");
    return used + format_text(text + used, STAT_BYTES - used, " ci95=%s..%s",
                              golines_ns_text(low, st->low), golines_ns_text(high, st->high));
}

/* Numbers of the samples (from 1) that lie far off; the first few. */
static size_t add_outliers(char *text, size_t used, const struct cell *cell)
{
    unsigned shown = 0;

    if (!cell->stats.outliers)
        return used;
    used += format_text(text + used, STAT_BYTES - used, " outliers=%u:", cell->stats.outliers);
    for (uint32_t i = 0; i < cell->nr_samples && shown < 8; i++)
        if (statistics_is_outlier(&cell->stats, cell->samples[i].ps_per_op))
            used += format_text(text + used, STAT_BYTES - used, "%s%u", shown++ ? "," : "", i + 1);
    return used;
}

static size_t add_disturbance(char *text, size_t used, const struct cell *cell)
{
    char lost[NS_TEXT_BYTES];

    if (cell->gaps)
        used += format_text(text + used, STAT_BYTES - used, " gaps=%u gap_ns=%s", cell->gaps,
                            golines_ns_text(lost, cell->gap_ps));
    if (cell->smis)
        used += format_text(text + used, STAT_BYTES - used, " smi=%llu",
                            (unsigned long long)cell->smis);
    return used;
}

static void print_stat(const struct cell *cell, const char *name)
{
    const struct statistics *st = &cell->stats;
    char text[STAT_BYTES], median[NS_TEXT_BYTES], min[NS_TEXT_BYTES], max[NS_TEXT_BYTES];
    char error[FORMAT_MILLI_BYTES], ratio[FORMAT_MILLI_BYTES];
    size_t used;

    used = format_text(text, sizeof(text), "stat %s n=%u %s=%s err=%s%% min=%s max=%s", name + 9,
                       st->count, cell->storm->measure ? cell->storm->unit : "ns",
                       golines_ns_text(median, st->median),
                       format_milli(error, st->error_permyriad * 10ll, 2),
                       golines_ns_text(min, st->min), golines_ns_text(max, st->max));
    used = add_interval(text, used, st);
    if (!cell->storm->measure)
        used += format_text(text + used, sizeof(text) - used, " slow/fast=%s",
                            format_milli(ratio, cell->ratio_milli, 2));
    used = add_outliers(text, used, cell);
    add_disturbance(text, used, cell);
    log_line("%s", text);
}

void golines_print(const struct cell *cell, const struct storm_case *cs, uint32_t nr_cpus)
{
    char name[GOLINES_NAME_BYTES];

    golines_name(name, cell->storm, cs, nr_cpus);
    for (uint32_t i = 0; i < cell->nr_samples; i++)
        print_sample(&cell->samples[i], name);
    print_stat(cell, name);
}
