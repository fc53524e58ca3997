/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explore=: every scenario of tests/explore/ that is asked for, under each memory, as one KTAP test
 * each. A failure prints the seed that replays it and the shrunk schedule.
 */
#include "arch/sim/explore/scenario.h"
#include "core/format.h"
#include "core/init.h"
#include "core/log.h"
#include "core/param.h"
#include "core/string.h"
#include "core/symbols.h"

#define NAME_BYTES 64u
#define TRACE_LINES_MAX 120u

static unsigned number, failed;
static uint64_t schedules;

static bool is_wanted(const char *scenario, const char *name)
{
    const char *wanted = explore_options.names;

    return !strcmp(wanted, "all") || param_list_has(wanted, scenario) ||
           param_list_has(wanted, name);
}

static void print_failure(const char *name, enum explore_memory memory,
                          const struct explore_result *r)
{
    uint32_t first = r->trace_lines > TRACE_LINES_MAX ? r->trace_lines - TRACE_LINES_MAX : 0;
    char text[200];

    log_line("%s under %s: %s", name, explore_memory_names[memory], r->what);
    log_line("replay: explore=%s memory=%s seed=%llu schedules=1", name,
             explore_memory_names[memory], (unsigned long long)r->seed);
    log_line("found with %u switches, shrunk to %u; its last accesses (step, CPU, access, place, "
             "value, code):",
             r->switches_found, r->switches_shrunk);
    for (uint32_t i = first; explore_trace_line(i, text, sizeof(text), symbol_lookup); i++)
        log_line("%s", text);
}

static void print_outcomes(const char *name, enum explore_memory memory,
                           const struct explore_result *r)
{
    for (uint32_t i = 0; i < EXPLORE_OUTCOMES; i++)
        if (r->outcome[i])
            log_line("%s.%s outcome %u: %llu times", name, explore_memory_names[memory], i,
                     (unsigned long long)r->outcome[i]);
}

static void explore_one(const struct explore_scenario *s, uint32_t variant, const char *name,
                        enum explore_memory memory)
{
    struct explore_result r;

    explore_begin();
    s->begin(variant);
    explore_run(s, memory, explore_options.schedules, explore_options.seed, &r);
    explore_take_back();
    schedules += r.schedules;
    if (r.failed)
        print_failure(name, memory, &r);
    print_outcomes(name, memory, &r);
    log_line("%s.%s: %llu schedules, %llu a second, %llu accesses each, %u at most, "
             "%llu switches",
             name, explore_memory_names[memory], (unsigned long long)r.schedules,
             (unsigned long long)((double)r.schedules / (r.seconds + 1e-9)),
             (unsigned long long)(r.steps / r.schedules), r.steps_most,
             (unsigned long long)(r.switches / r.schedules));
    failed += r.failed;
    report_line("%s %u explore.%s.%s", r.failed ? "not ok" : "ok", ++number, name,
                explore_memory_names[memory]);
}

/* Calls each() for every scenario, variant and memory that is wanted; returns how many. */
static unsigned for_each_wanted(void (*each)(const struct explore_scenario *s, uint32_t variant,
                                             const char *name, enum explore_memory memory))
{
    unsigned count = 0;

    for (const struct explore_scenario *const *p = __start_explore_scenarios;
         p < __stop_explore_scenarios; p++) {
        const struct explore_scenario *s = *p;

        for (uint32_t v = 0; v == 0 || (s->variant && s->variant(v)); v++) {
            char name[NAME_BYTES];

            format_text(name, sizeof(name), s->variant ? "%s/%s" : "%s", s->name,
                        s->variant ? s->variant(v) : "");
            for (unsigned m = 0; m < EXPLORE_MEMORIES && is_wanted(s->name, name); m++)
                if (explore_options.memory[m]) {
                    count++;
                    if (each)
                        each(s, v, name, (enum explore_memory)m);
                }
        }
    }
    return count;
}

static void list_scenarios(void)
{
    for (const struct explore_scenario *const *p = __start_explore_scenarios;
         p < __stop_explore_scenarios; p++)
        log_line("scenario %s", (*p)->name);
}

static void explore_campaign(void)
{
    unsigned count;

    if (!explore_options.names)
        return;
    count = for_each_wanted(NULL);
    if (!count) {
        report_fail("explore=%s: there is no such scenario; there are", explore_options.names);
        list_scenarios();
        return;
    }
    number = failed = 0;
    schedules = 0;
    report_block_begin("explore");
    report_line("KTAP version 1");
    report_line("1..%u", count);
    for_each_wanted(explore_one);
    log_line("explored: %llu schedules, %u of %u failed", (unsigned long long)schedules, failed,
             number);
    report_block_end();
    if (failed)
        report_fail("%u of %u explorations failed", failed, number);
}
INIT_FN(explore_campaign, INIT_TEST, 10);
