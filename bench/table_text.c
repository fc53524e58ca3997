/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a cell of the table. See bench/table.h. */
#include "bench/params.h"
#include "bench/table.h"
#include "core/format.h"

char *table_time_text(char text[TABLE_TIME_BYTES], uint64_t ps)
{
    static const char *const suffix[] = {"", "k", "M", "G"};
    unsigned step = 0, decimals;
    char number[FORMAT_MILLI_BYTES];

    while (step < 3 && ps >= (step ? 1000000u : 100000000u)) {
        ps = (ps + 500) / 1000;
        step++;
    }
    decimals = ps < 10000 ? 3 : ps < 100000 ? 2 : ps < 1000000 ? 1 : 0;
    format_text(text, TABLE_TIME_BYTES, "%s%s", format_milli(number, (int64_t)ps, decimals),
                suffix[step]);
    return text;
}

uint64_t table_permille(uint64_t ps, uint64_t base_ps)
{
    if (!base_ps)
        return 0;
    return ps < UINT64_MAX / 2000 ? (ps * 1000 + base_ps / 2) / base_ps
                                  : ps / MAX(base_ps / 1000, 1u);
}

char *table_ratio_text(char text[FORMAT_MILLI_BYTES], uint64_t permille)
{
    if (permille == 0) {
        format_text(text, FORMAT_MILLI_BYTES, "<0.001");
        return text;
    }
    return format_milli(text, (int64_t)permille, permille < 100 ? 3 : permille < 10000 ? 2 : 1);
}

/* permille in percent: "1.2" below 10, "64" above. */
static char *percent_text(char text[FORMAT_MILLI_BYTES], int64_t permille)
{
    int64_t size = permille < 0 ? -permille : permille;

    return format_milli(text, permille * 100, size < 100 ? 1 : 0);
}

char *table_change_text(char text[TABLE_CHANGE_BYTES], uint64_t ps, uint64_t base_ps)
{
    char number[FORMAT_MILLI_BYTES];
    uint64_t permille = table_permille(ps, base_ps);

    text[0] = '\0';
    if (!base_ps)
        return text;
    if (permille >= 10000)
        format_text(text, TABLE_CHANGE_BYTES, "x%s", table_ratio_text(number, permille));
    else
        format_text(text, TABLE_CHANGE_BYTES, "%s%s", permille < 1000 ? "" : "+",
                    percent_text(number, (int64_t)permille - 1000));
    return text;
}

bool table_has_few_samples(const struct cell *cell)
{
    return cell->stats.count < BENCH_ENOUGH_SAMPLES && !(cell->storm && cell->storm->samples_max);
}

char *table_cell_text(char text[TABLE_CELL_BYTES], const struct cell *cell, const struct cell *base)
{
    const struct statistics *st = &cell->stats;
    char time[TABLE_TIME_BYTES], change[TABLE_CHANGE_BYTES], error[FORMAT_MILLI_BYTES];

    if (cell->absent) {
        format_text(text, TABLE_CELL_BYTES, "-");
        return text;
    }
    change[0] = '\0';
    if (base && !base->absent)
        table_change_text(change, st->median, base->stats.median);
    format_text(text, TABLE_CELL_BYTES, "%s+-%s%s%s%s%s%s%s", table_time_text(time, st->median),
                percent_text(error, (st->error_permyriad + 5) / 10), *change ? " " : "", change,
                base && !base->absent && statistics_differ(st, &base->stats) ? "*" : "",
                table_has_few_samples(cell) ? "~" : "", cell->gaps ? "!" : "",
                cell->is_crowd ? "c" : "");
    return text;
}
