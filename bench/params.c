/* SPDX-License-Identifier: Apache-2.0 */
/* The storms' parameters. See bench/params.h. */
#include "bench/params.h"

#include <arch/machine.h>
#include <arch/time.h>

#include "bench/sizes.h"
#include "bench/statistics.h"
#include "bench/storm.h"
#include "core/choice.h"
#include "core/format.h"
#include "core/log.h"
#include "core/param.h"
#include "core/string.h"
#include "core/topology.h"
#include "core/wait.h"

#define DEADLINE_MS 10000u
#define DEADLINE_OVERSUBSCRIBED_MS 60000u
#define DEADLINE_CPU_MS 200u            /* more for each CPU, where they take turns */
#define WINDOW_OVERSUBSCRIBED_US 20000u /* a few time slices of the scheduler beneath */
#define FLOOR_OVERSUBSCRIBED 3u
#define SIZES_TEXT_BYTES 256u
#define ORDER_TEXT_BYTES 200u

struct bench_settings bench_settings;

static const char *bench_list = "all", *design_list = "all";
static bool quick, full;
static int64_t samples, seed = 1, window_us, budget_s = -1, deadline_ms;

PARAM_TEXT(bench, "bench", bench_list, "a list of storms, or all, or none", "storms to run");
PARAM_TEXT(designs, "designs", design_list, "a list of counter designs, or all",
           "designs of counters to measure, as columns");
PARAM_FLAG(quick, "quick", quick, "the short suite (the default on emulated CPUs)");
PARAM_FLAG(full, "full", full, "the long suite: longer windows, more samples, no time budget");
PARAM_NUMBER(samples, "samples", samples, 1, STATISTICS_MAX_SAMPLES, "1 to 1000",
             "samples a row, whatever time they take");
PARAM_NUMBER(seed, "seed", seed, 0, INT64_MAX, "a number", "seed of all random choices");
PARAM_NUMBER(window_us, "window_us", window_us, 1000, 10000000, "1000 to 10000000",
             "length of a sample in microseconds");
PARAM_NUMBER(budget_s, "budget_s", budget_s, 0, 86400, "seconds, 0 for no limit",
             "time budget of each storm");
PARAM_NUMBER(deadline_ms, "deadline_ms", deadline_ms, 100, 600000, "100 to 600000",
             "how long a CPU may stay away before the run is given up");

static const struct suite {
    const char *name;
    uint32_t samples, window_us, budget_s;
    /* Where nothing disturbs a sample, and the host pays a thousandfold for its time. */
    uint32_t samples_simulated, window_us_simulated;
} suites[] = {
    [SUITE_QUICK] = {"quick", 11, 4000, 12, 3, 4},
    [SUITE_NORMAL] = {"normal", 21, 10000, 120, 5, 100},
    [SUITE_FULL] = {"full", 51, 50000, 0, 11, 500},
};

const char *bench_suite_name(void)
{
    return suites[bench_settings.suite].name;
}

bool bench_wanted(void)
{
    return strcmp(bench_list, "none") != 0;
}

bool bench_storm_named(const char *name)
{
    return param_list_has(bench_list, name);
}

bool bench_storm_wanted(const char *name)
{
    return param_list_has(bench_list, "all") || bench_storm_named(name);
}

bool bench_design_wanted(const char *name)
{
    return param_list_has(design_list, "all") || param_list_has(design_list, name);
}

static void add_storms(struct choice_names *names)
{
    choice_add(names, "all");
    choice_add(names, "none");
    for (REGISTRY_EACH(storms, const struct storm, s))
        choice_add(names, (*s)->name);
}
CHOICE(bench, "storm", add_storms);

static void check_storm_list(void)
{
    static struct choice_names names;
    static const char *settled = "all"; /* by the run before */

    add_storms(&names);
    bench_list = settled = choice_check("bench", "storm", bench_list, &names, settled);
}

static void add_designs(struct choice_names *names)
{
    choice_add(names, "all");
    for (REGISTRY_EACH(counter_designs, const struct counter_design, d))
        choice_add(names, (*d)->name);
}
CHOICE(designs, "design", add_designs);

static void check_design_list(void)
{
    static struct choice_names names;
    static const char *settled = "all";

    add_designs(&names);
    design_list = settled = choice_check("designs", "design", design_list, &names, settled);
}

static void settle_suite(void)
{
    struct bench_settings *b = &bench_settings;
    const struct suite *suite;

    if (quick && full)
        param_error("full", "", "quick and full exclude each other; quick is taken");
    b->suite = quick || (!full && arch_is_emulated()) ? SUITE_QUICK
               : full                                 ? SUITE_FULL
                                                      : SUITE_NORMAL;
    suite = &suites[b->suite];
    b->samples = suite->samples;
    b->samples_floor = wait_oversubscribed() ? FLOOR_OVERSUBSCRIBED : BENCH_ENOUGH_SAMPLES;
    b->window_us = b->crowd_window_us = suite->window_us;
    if (arch_time_is_simulated()) {
        b->samples = b->samples_floor = suite->samples_simulated;
        b->window_us = suite->window_us_simulated;
    }
    if (wait_oversubscribed() && b->window_us < WINDOW_OVERSUBSCRIBED_US)
        b->window_us = WINDOW_OVERSUBSCRIBED_US;
    b->budget_s = suite->budget_s;
    b->deadline_ms = DEADLINE_MS;
    if (wait_oversubscribed())
        b->deadline_ms = DEADLINE_OVERSUBSCRIBED_MS + DEADLINE_CPU_MS * cpumask_count(&cpus_online);
}

/* What was said outright goes before what the suite and the machine suggest. */
static void settle_numbers(void)
{
    struct bench_settings *b = &bench_settings;

    b->seed = (uint64_t)seed;
    if (samples)
        b->samples = b->samples_floor = (uint32_t)samples;
    b->window_was_given = window_us != 0;
    if (window_us)
        b->window_us = b->crowd_window_us = (uint32_t)window_us;
    if (budget_s >= 0)
        b->budget_s = (uint32_t)budget_s;
    if (deadline_ms)
        b->deadline_ms = (uint32_t)deadline_ms;
}

int bench_params_settle(void)
{
    check_storm_list();
    check_design_list();
    settle_suite();
    settle_numbers();
    return sizes_settle();
}

/* The CPUs in the order in which sizes take them, as far as a line has room. */
static void report_selection(void)
{
    char text[ORDER_TEXT_BYTES];
    size_t used = format_text(text, sizeof(text), "note cpus are taken in this order:");
    uint32_t i = 0;

    for (; i < bench_settings.nr_chosen && used < sizeof(text) - 12; i++)
        used += format_text(text + used, sizeof(text) - used, " %u", bench_settings.cpus[i]);
    log_line("meta selection=%s chosen=%u", bench_settings.selection, bench_settings.nr_chosen);
    log_line("%s%s", text, i < bench_settings.nr_chosen ? " ..." : "");
}

static void report_sizes(void)
{
    char text[SIZES_TEXT_BYTES];
    size_t used = format_text(text, sizeof(text), "meta cpus=");

    for (uint32_t i = 0; i < bench_settings.nr_sizes && used < sizeof(text) - 8; i++)
        used += format_text(text + used, sizeof(text) - used, "%s%u", i ? "," : "",
                            bench_settings.sizes[i]);
    log_line("%s", text);
    if (*bench_settings.selection)
        report_selection();
}

void bench_params_report(void)
{
    const struct bench_settings *b = &bench_settings;

    report_sizes();
    log_line("note suite=%s (%s): %u samples of %u us%s a row, %s", bench_suite_name(),
             quick || full        ? "asked for"
             : arch_is_emulated() ? "emulated CPUs"
                                  : "default",
             b->samples, b->window_us,
             arch_time_is_simulated() && !b->window_was_given ? " or some operations" : "",
             b->budget_s ? "each storm within a time budget" : "no time budget");
    if (b->budget_s && b->samples_floor < b->samples)
        log_line(
            "note budget_s=%u a storm: a row whose share is over ends with at least %u samples "
            "and is marked ~%s",
            b->budget_s, b->samples_floor,
            wait_oversubscribed() ? " (more CPUs than processors beneath them)" : "");
}
