/* SPDX-License-Identifier: Apache-2.0 */
/* See bench/matrix.h. */
#include "bench/matrix.h"

#include "bench/params.h"
#include "bench/table.h"
#include "core/format.h"
#include "core/log.h"

#define LINE_BYTES 128u
#define CELL_COLUMNS 10

void matrix_put(struct matrix *m, const uint32_t pair[2], uint64_t ps)
{
    if (pair[0] >= MATRIX_MAX_CPUS || pair[1] >= MATRIX_MAX_CPUS)
        return;
    m->ps[pair[0]][pair[1]] = m->ps[pair[1]][pair[0]] = ps;
    m->nr_cpus = MAX(m->nr_cpus, MAX(pair[0], pair[1]) + 1);
}

static void print_row(const struct matrix *m, uint32_t from)
{
    char line[LINE_BYTES], text[TABLE_TIME_BYTES];
    size_t used = format_text(line, sizeof(line), "%6u", from);

    for (uint32_t to = 0; to < m->nr_cpus; to++)
        used += format_text(line + used, sizeof(line) - used, "%*s", CELL_COLUMNS,
                            m->ps[from][to] ? table_time_text(text, m->ps[from][to]) : "-");
    log_line("%s", line);
}

void matrix_print(const struct matrix *m, const char *storm)
{
    char line[LINE_BYTES];
    size_t used = format_text(line, sizeof(line), "   cpu");

    if (!m->nr_cpus)
        return;
    log_line("%s: a line handed from CPU to CPU and back, ns for one way (medians), CPUs 0 to %u "
             "of %u",
             storm, m->nr_cpus - 1, bench_settings.nr_chosen);
    for (uint32_t to = 0; to < m->nr_cpus; to++)
        used += format_text(line + used, sizeof(line) - used, "%*u", CELL_COLUMNS, to);
    log_line("%s", line);
    for (uint32_t from = 0; from < m->nr_cpus; from++)
        print_row(m, from);
}
