/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, each with a report of its own. See core/session.h. Context: boot CPU, others parked. */
#include "core/session.h"

#include <arch/machine.h>
#include <arch/time.h>

#include "core/console.h"
#include "core/errno.h"
#include "core/format.h"
#include "core/init.h"
#include "core/log.h"
#include "core/memory_map.h"
#include "core/pages.h"
#include "core/param.h"
#include "core/percpu_area.h"
#include "core/plant.h"
#include "core/selftest.h"
#include "core/shell.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/time.h"
#include "core/topology.h"
#include "core/version.h"
#include "core/wait.h"

#define MACHINE_BYTES 96u
#define NS_A_MINUTE 60000000000ull
#define MINUTES_MAX 1000000u

/* What is allocated. */
struct level {
    uint64_t areas, area_bytes, object_bytes, pages;
};

static enum session_limit limit = SESSION_RUNS;
static uint32_t amount = 1;
static bool stop_at_failure;
static char machine[MACHINE_BYTES]; /* firmware's memory is not mapped for ever */

static struct {
    uint32_t done, failed, first_failed;
} runs;

int session_parse_loop(const char *text, enum session_limit *limit_, uint32_t *amount_)
{
    size_t length = strlen(text);
    bool minutes = length > 1 && text[length - 1] == 'm';
    uint64_t value = 0;

    if (!strcmp(text, "forever")) {
        *limit_ = SESSION_FOREVER;
        return 0;
    }
    for (size_t i = 0; i < length - minutes; i++) {
        if (text[i] < '0' || text[i] > '9' || value > UINT32_MAX)
            return -CS_EINVAL;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (!value || value > (minutes ? MINUTES_MAX : UINT32_MAX))
        return -CS_EINVAL;
    *limit_ = minutes ? SESSION_MINUTES : SESSION_RUNS;
    *amount_ = (uint32_t)value;
    return 0;
}

static int parse_loop(const char *text, const char **why)
{
    return session_parse_loop(text, &limit, &amount);
}

PARAM_CUSTOM(loop, "loop", parse_loop, "a number of runs, minutes (90m), or forever",
             "how often the tests and the storms run, each time with a report of its own");
PARAM_FLAG(loop_stop, "loop_stop", stop_at_failure, "the first run that fails is the last one");

static void keep_machine(const char *name)
{
    if (name && !machine[0])
        format_text(machine, sizeof(machine), "%s", name);
}

void session_describe(const struct boot_handoff *handoff)
{
    char features[200];

    arch_describe(features, sizeof(features));
    log_line("meta version=%s boot=%s virt=%s emulated=%d %s", corestorm_version, handoff->path,
             arch_virt(), arch_is_emulated(), features);
    for (uint32_t i = 0; arch_describe_model && arch_describe_model(i); i++)
        log_line("meta model %s", arch_describe_model(i));
    log_line("meta cmdline=\"%s\"", param_cmdline());
    if (*param_config())
        log_line("meta config=\"%s\"", param_config());
    if (!runs.done)
        keep_machine(handoff->machine);
    if (machine[0])
        log_line("meta machine=\"%s\"", machine);
    if (handoff->note && !runs.done)
        log_warn("%s: %s", handoff->path, handoff->note);
    if (arch_is_emulated())
        log_line("note: this machine is emulated: its times are not a machine's; compare ratios of "
                 "one run only");
}

/* What boot found, for a report that boot has not begun. */
static void describe_again(void)
{
    session_describe(kernel_handoff);
    memory_map_report();
    topology_report();
    wait_report();
    time_report();
}

static struct level level_now(void)
{
    struct percpu_stats areas;
    struct slab_totals objects;
    struct pages_stats pages;

    percpu_area_stats(&areas);
    slab_totals(&objects);
    pages_stats(&pages);
    return (struct level){areas.areas_live, areas.bytes_live, objects.object_bytes,
                          pages.total_pages - pages.free_pages - pages.pcp_pages};
}

/* The first whole run of a choice of storms and tests makes what is kept for good; when it is
 * repeated it must leave nothing behind. Pages are not compared: caches keep some. */
static void check_level(const struct level *before)
{
    static uint32_t parameters_before;
    static bool stopped_before;
    uint32_t parameters = param_crc32();
    bool repeated = runs.done && !stopped_before && parameters == parameters_before;
    struct level after = level_now();

    log_line("meta live_areas=%llu live_object_bytes=%llu pages_in_use=%llu",
             (unsigned long long)after.areas, (unsigned long long)after.object_bytes,
             (unsigned long long)after.pages);
    parameters_before = parameters;
    stopped_before = shell_interrupted();
    if (repeated && (after.areas > before->areas || after.area_bytes > before->area_bytes ||
                     after.object_bytes > before->object_bytes))
        report_fail("this run left behind %lld per-CPU areas and %lld bytes of objects",
                    (long long)(after.areas - before->areas),
                    (long long)(after.object_bytes - before->object_bytes));
}

static const char *planned(char text[24])
{
    if (limit == SESSION_FOREVER)
        return "forever";
    format_text(text, 24, limit == SESSION_RUNS ? "%u" : "%um", amount);
    return text;
}

static bool is_single(void)
{
    return limit == SESSION_RUNS && amount == 1 && !runs.done;
}

static void conclude(bool pass)
{
    char tests[SELFTEST_SUMMARY_BYTES];

    console_report_lost();
    log_line("verdict: %s: %u of %u usable CPUs online, %s, %u warnings", pass ? "pass" : "FAIL",
             cpumask_count(&cpus_online), nr_cpus, selftest_summary(tests), log_warnings());
    log_line("meta warnings=%u parameter_errors=%u", log_warnings(), param_errors());
    if (!is_single())
        log_line("meta run=%u runs_passed=%u runs_failed=%u", runs.done + 1,
                 runs.done + 1 - runs.failed - !pass, runs.failed + !pass);
    report_end(pass);
}

/* One run; its verdict. */
static bool run_once(void)
{
    struct level before = level_now();
    bool pass;

    if (runs.done) {
        report_begin();
        describe_again();
    }
    if (!is_single()) {
        char text[24];

        log_line("meta run=%u loop=%s runs_before=%u failed_before=%u", runs.done + 1,
                 planned(text), runs.done, runs.failed);
    }
    init_run(INIT_TEST);
    init_run(INIT_BENCH);
    if (shell_interrupted())
        log_warn("stopped by ctrl-C: what was not measured yet is not in this report");
    if (!is_single())
        check_level(&before);
    if (plant_any() && !report_failed())
        report_fail("plant= asked for a fault that did not happen");
    pass = !report_failed();
    conclude(pass);
    runs.done++;
    if (!pass && !runs.failed++)
        runs.first_failed = runs.done;
    return pass;
}

void session_loop(void)
{
    uint64_t begin = arch_stamp_loose(), ticks = time_ns_to_ticks(amount * NS_A_MINUTE);
    uint32_t first = runs.done;
    bool pass;

    shell_run_begins();
    do {
        pass = run_once();
    } while (!shell_interrupted() && !(stop_at_failure && !pass) &&
             (limit == SESSION_FOREVER || (limit == SESSION_RUNS && runs.done - first < amount) ||
              (limit == SESSION_MINUTES && arch_stamp_loose() - begin < ticks)));
    if (runs.done == 1)
        return;
    log_line("loop: %s: %u runs, %u passed, %u failed", session_passed() ? "pass" : "FAIL",
             runs.done, runs.done - runs.failed, runs.failed);
    if (runs.failed)
        log_line("loop: the first run that failed is run %u", runs.first_failed);
}

bool session_passed(void)
{
    return !runs.failed;
}
