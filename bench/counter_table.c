/* SPDX-License-Identifier: Apache-2.0 */
/* The designs' own figures at any CPU count. See bench/counter_table.h. */
#include "bench/counter_table.h"

#include "core/format.h"
#include "core/log.h"
#include "core/param.h"
#include "core/string.h"
#include "counters/design.h"

#define TABLE_CPUS_MAX 8192
#define DESIGNS_MAX 32u
#define BAND_CELLS 4u
#define LINE_BYTES 128u

static int64_t table_up_to;
PARAM_NUMBER(counter_table, "counter_table", table_up_to, 0, TABLE_CPUS_MAX, "0 to 8192",
             "bench=memory prints bound and bytes of all designs at every CPU count up to this");

/* Powers of two, those above them that the published shape is weak at, and the measured machines.
 */
static const uint32_t shown_cpus[] = {1,   2,   4,   8,    16,   24,   32,   33,  39,
                                      40,  64,  65,  96,   128,  129,  192,  256, 257,
                                      384, 512, 513, 1024, 1025, 2048, 2049, 4096};

struct designs {
    const struct counter_design *of[DESIGNS_MAX];
    uint32_t nr;
};

/* "flat" first, then by name; those that take the same as another are left out. */
static void collect(struct designs *designs)
{
    designs->nr = 0;
    for (REGISTRY_EACH(counter_designs, const struct counter_design, d)) {
        uint32_t at = designs->nr;

        if ((*d)->updates_like || at == DESIGNS_MAX)
            continue;
        designs->nr++;
        for (; at > 0 && strcmp(designs->of[at - 1]->name, "flat") != 0 &&
               (!strcmp((*d)->name, "flat") || strcmp((*d)->name, designs->of[at - 1]->name) < 0);
             at--)
            designs->of[at] = designs->of[at - 1];
        designs->of[at] = *d;
    }
}

static void print_band(const struct designs *designs, uint32_t first, uint32_t end)
{
    char line[LINE_BYTES];
    size_t used = format_text(line, sizeof(line), " cpus");

    for (uint32_t i = first; i < end; i++)
        used += format_text(line + used, sizeof(line) - used, " %21s", designs->of[i]->name);
    log_line("%s", line);
    for (uint32_t row = 0; row < ARRAY_LEN(shown_cpus); row++) {
        used = format_text(line, sizeof(line), "%5u", shown_cpus[row]);
        for (uint32_t i = first; i < end; i++)
            used += format_text(
                line + used, sizeof(line) - used, " %11llu %9llu",
                (unsigned long long)designs->of[i]->error_bound(shown_cpus[row]),
                (unsigned long long)designs->of[i]->memory_bytes(shown_cpus[row], COUNTERS_PER_MM));
        log_line("%s", line);
    }
}

static void print_all(const struct designs *designs)
{
    for (uint32_t i = 0; i < designs->nr; i++)
        for (uint32_t cpus = 1; cpus <= (uint32_t)table_up_to; cpus++)
            log_line("table design=%s cpus=%u bound=%llu bytes=%llu ours=%d", designs->of[i]->name,
                     cpus, (unsigned long long)designs->of[i]->error_bound(cpus),
                     (unsigned long long)designs->of[i]->memory_bytes(cpus, COUNTERS_PER_MM),
                     designs->of[i]->never_worse_than_flat);
}

void counter_table_report(void)
{
    struct designs designs;

    collect(&designs);
    log_line("by calculation: error bound of a counter in pages, bytes for the 4 of an mm");
    for (uint32_t first = 0; first < designs.nr; first += BAND_CELLS)
        print_band(&designs, first, MIN(first + BAND_CELLS, designs.nr));
    print_all(&designs);
}
