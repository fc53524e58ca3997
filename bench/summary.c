/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping conclusions for the end of the report. See bench/summary.h. */
#include "bench/summary.h"

#include <stdarg.h>

#include "core/format.h"
#include "core/log.h"

#define SUMMARY_LINES 20u
#define SUMMARY_BYTES 384u

static char kept[SUMMARY_LINES][SUMMARY_BYTES];
static uint32_t nr_added;

bool summary_wants(const struct block *block, uint32_t case_index)
{
    return case_index == 0 || block->storms[0]->cases[case_index].in_quick;
}

void summary_add(const char *format, ...)
{
    va_list args;

    if (nr_added++ >= SUMMARY_LINES)
        return;
    va_start(args, format);
    format_text_v(kept[nr_added - 1], SUMMARY_BYTES, format, args);
    va_end(args);
}

void summary_print(void)
{
    if (!nr_added)
        return;
    report_block_begin("summary");
    log_line("summary: what was found, on the most CPUs measured");
    for (uint32_t i = 0; i < MIN(nr_added, SUMMARY_LINES); i++)
        log_line("* %s", kept[i]);
    if (nr_added > SUMMARY_LINES)
        log_line("* and %u more: see the lines that begin with => above", nr_added - SUMMARY_LINES);
    report_block_end();
    nr_added = 0; /* the next run's begin anew */
}
