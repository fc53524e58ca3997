/* SPDX-License-Identifier: Apache-2.0 */
/* Contention profiles line by line. See bench/line_pass.h. */
#include "bench/line_pass.h"

#include <arch/lines.h>

#include "bench/params.h"
#include "core/format.h"
#include "core/log.h"
#include "core/slab.h"

#define LINES_SHOWN 3u
#define SHOWN_PERMILLE 10u /* of the CPUs' time; less is not worth a line */
#define NAME_BYTES 80u

static const char *line_name(char text[NAME_BYTES], const struct arch_line *line)
{
    const char *cache;
    size_t offset;

    if (*line->name)
        format_text(text, NAME_BYTES, "%s", line->name);
    else if (slab_name_of((const void *)line->address, &cache, &offset))
        format_text(text, NAME_BYTES, "slab %s+%#llx", cache, (unsigned long long)offset);
    else
        format_text(text, NAME_BYTES, "memory");
    return text;
}

static void print_line(const struct storm *storm, const struct row *row,
                       const struct arch_line *line, uint64_t permille)
{
    char name[NAME_BYTES], share[FORMAT_MILLI_BYTES];

    log_line("line storm=%s design=%s cpus=%u at=\"%s\" share=%s%% far=%llu near=%llu ended=%llu "
             "queue_ns=%llu wait_ns=%llu clusters=%u",
             storm->name, storm_design_name(storm), row->nr_cpus, line_name(name, line),
             format_milli(share, (int64_t)permille * 100, 1), (unsigned long long)line->far,
             (unsigned long long)line->near, (unsigned long long)line->ended,
             (unsigned long long)line->queued_ns, (unsigned long long)line->waited_ns,
             line->clusters);
}

/* A scheduling fault of the simulator would show here first. */
static void print_operations(const struct storm *storm, const struct team *team)
{
    uint64_t fewest = UINT64_MAX, most = 0;

    for (uint32_t i = 0; i < team->run.nr_cpus; i++) {
        fewest = MIN(fewest, team->members[i]->ops);
        most = MAX(most, team->members[i]->ops);
    }
    log_line("operations storm=%s design=%s cpus=%u fewest=%llu most=%llu", storm->name,
             storm_design_name(storm), team->run.nr_cpus, (unsigned long long)fewest,
             (unsigned long long)most);
}

static void report(const struct storm *storm, const struct row *row, const struct team *team,
                   const struct sample *sample)
{
    uint64_t all_ns = MAX(sample->window_ps / 1000 * row->nr_cpus, 1ull);
    struct arch_line line;

    print_operations(storm, team);
    for (uint32_t i = 0; i < LINES_SHOWN && arch_lines_worst(i, &line); i++) {
        uint64_t permille = MIN(line.waited_ns * 1000 / all_ns, 1000ull);

        if (permille >= SHOWN_PERMILLE)
            print_line(storm, row, &line, permille);
    }
}

static void pass(const struct storm *storm, const struct storm_case *cs, const struct row *row)
{
    struct sample sample;
    struct team *team;

    if (team_create(&team, storm, cs, row->cpus, row->nr_cpus, bench_settings.seed))
        return;
    team_calibrate(team);
    team->counts_lines = true;
    team_sample(team, &sample);
    report(storm, row, team, &sample);
    team_destroy(team);
}

void line_pass(const struct block *block, uint32_t case_index, const struct row *row)
{
    if (!arch_lines_worst || row->nr_cpus < 2)
        return;
    for (uint32_t i = 0; i < block->nr_storms; i++)
        if (!block->storms[i]->measure && !row->cells[i].absent)
            pass(block->storms[i], &block->storms[i]->cases[case_index], row);
}
