/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the registered tests and prints them as KTAP (docs.kernel.org, dev-tools/ktap): version 1,
 * one flat list.
 */
#include "core/selftest.h"

#include <arch/percpu.h>

#include "core/choice.h"
#include "core/format.h"
#include "core/init.h"
#include "core/log.h"
#include "core/panic.h"
#include "core/param.h"
#include "core/percpu.h"
#include "core/plant.h"
#include "core/smp.h"
#include "core/string.h"
#include "core/wait.h"

#define FAILURES_SHOWN 5u /* of one test */
#define SUBJECTS_FAILED_MAX 64u
#define CROWD_CPUS 8u

static const char *selection = "quick";
static int64_t test_seed = 1;
static unsigned nr_run, nr_failed, nr_skipped;
static const char *failed_subjects[SUBJECTS_FAILED_MAX];
static unsigned nr_failed_subjects;
static bool was_run;

PARAM_TEXT(selftest, "selftest", selection, "quick, full, none, or a list of subjects",
           "which self-tests run before the storms");
PARAM_NUMBER(test_seed, "selftest.seed", test_seed, INT64_MIN, INT64_MAX, "a number",
             "what the random tests start from");

static bool is_full(void)
{
    return strcmp(selection, "quick") != 0;
}

/* A list of subjects runs all their tests, slow ones too. */
static bool is_selected(const struct ktest_entry *entry)
{
    if (!strcmp(selection, "none"))
        return false;
    if (!strcmp(selection, "full"))
        return true;
    if (!strcmp(selection, "quick"))
        return entry->speed == KTEST_QUICK;
    return param_list_has(selection, entry->subject);
}

bool ktest_check(struct ktest *t, bool ok, const char *file, int line, const char *format, ...)
{
    char text[200];
    va_list args;

    t->checks++;
    if (ok)
        return true;
    if (t->failures++ < FAILURES_SHOWN) {
        va_start(args, format);
        format_text_v(text, sizeof(text), format, args);
        va_end(args);
        log_line("%s:%d: %s", file, line, text);
    }
    return false;
}

void ktest_skip(struct ktest *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_text_v(t->skip_reason, sizeof(t->skip_reason), format, args);
    va_end(args);
    t->skipped = true;
}

uint32_t ktest_rounds(const struct ktest *t, uint32_t quick, uint32_t full)
{
    uint32_t cpus = cpumask_count(&cpus_online);

    if (!t->full)
        return quick;
    return wait_oversubscribed() && cpus > CROWD_CPUS ? full / cpus * CROWD_CPUS : full;
}

static void end_unless_back(struct ktest *t, int error)
{
    t->checks++;
    if (!error)
        return;
    report_line("Bail out! %s.%s: CPUs did not come back", t->subject, t->name);
    panic("self-test %s.%s: CPUs did not come back", t->subject, t->name);
}

void ktest_run_on(struct ktest *t, const uint32_t *cpus, uint32_t count, void (*fn)(void *arg),
                  void *arg, uint32_t ms)
{
    end_unless_back(t, smp_run(cpus, count, fn, arg, ms));
}

void ktest_run_all(struct ktest *t, void (*fn)(void *arg), void *arg, uint32_t ms)
{
    end_unless_back(t, smp_run_all(fn, arg, ms));
}

static void subject_failed(const char *subject)
{
    if (selftest_subject_failed(subject))
        return;
    if (nr_failed_subjects < SUBJECTS_FAILED_MAX)
        failed_subjects[nr_failed_subjects++] = subject;
    else
        log_warn("more than %u subjects failed; %s is not remembered", SUBJECTS_FAILED_MAX,
                 subject);
}

bool selftest_subject_failed(const char *subject)
{
    for (unsigned i = 0; i < nr_failed_subjects; i++)
        if (!strcmp(failed_subjects[i], subject))
            return true;
    return false;
}

bool selftest_was_run(void)
{
    return was_run;
}

char *selftest_summary(char text[SELFTEST_SUMMARY_BYTES])
{
    if (!was_run)
        format_text(text, SELFTEST_SUMMARY_BYTES, "self-tests not run");
    else
        format_text(text, SELFTEST_SUMMARY_BYTES, "self-tests %u passed, %u failed, %u skipped",
                    nr_run - nr_failed - nr_skipped, nr_failed, nr_skipped);
    return text;
}

/* Prints the result line; a test that checked nothing has failed, unless it said why it skipped. */
static void conclude(struct ktest *t, unsigned number)
{
    bool failed = t->failures || (!t->checks && !t->skipped);

    if (!t->checks && !t->skipped)
        log_line("%s.%s checked nothing", t->subject, t->name);
    if (failed) {
        nr_failed++;
        subject_failed(t->subject);
        report_line("not ok %u %s.%s # %u of %u checks failed", number, t->subject, t->name,
                    t->failures, t->checks);
    } else if (t->skipped) {
        nr_skipped++;
        report_line("ok %u %s.%s # SKIP %s", number, t->subject, t->name, t->skip_reason);
    } else {
        report_line("ok %u %s.%s", number, t->subject, t->name);
    }
}

static void run_one(const struct ktest_entry *entry, unsigned number)
{
    struct ktest t = {.subject = entry->subject,
                      .name = entry->name,
                      .arg = entry->arg,
                      .full = is_full(),
                      .seed = (uint64_t)test_seed};

    entry->run(&t);
    fail_injection_set(0);
    if (plant_wanted("selftest") && number == 1)
        ktest_check(&t, false, __FILE__, __LINE__, "planted by plant=selftest");
    conclude(&t, number);
}

static unsigned count_selected(void)
{
    unsigned count = 0;

    for (REGISTRY_EACH(ktests, const struct ktest_entry, p))
        count += is_selected(*p);
    return count;
}

static bool is_suite(const char *name)
{
    return !strcmp(name, "none") || !strcmp(name, "quick") || !strcmp(name, "full");
}

static void add_subjects(struct choice_names *names)
{
    choice_add(names, "quick");
    choice_add(names, "full");
    choice_add(names, "none");
    for (REGISTRY_EACH(ktests, const struct ktest_entry, p))
        choice_add(names, (*p)->subject);
}
CHOICE(selftest, "test subject", add_subjects);

/* Names in selftest= that no test has. Where it has no other, what the run before took stays. */
static void check_selection(void)
{
    static struct choice_names names;
    static const char *settled = "quick";

    if (!is_suite(selection)) {
        add_subjects(&names);
        selection = choice_check("selftest", "test subject", selection, &names, settled);
    }
    settled = selection;
}

static void selftest_run(void)
{
    nr_run = nr_failed = nr_skipped = nr_failed_subjects = 0;
    was_run = false;
    check_selection();
    if (!strcmp(selection, "none")) {
        log_line("self-tests: not run (selftest=none)");
        return;
    }
    was_run = true;
    report_block_begin("selftest");
    log_line("self-tests: selftest=%s selftest.seed=%lld", selection, (long long)test_seed);
    report_line("KTAP version 1");
    report_line("1..%u", count_selected());
    for (REGISTRY_EACH(ktests, const struct ktest_entry, p))
        if (is_selected(*p))
            run_one(*p, ++nr_run);
    log_line("self-tests: %u passed, %u failed, %u skipped", nr_run - nr_failed - nr_skipped,
             nr_failed, nr_skipped);
    report_block_end();
    if (nr_failed)
        report_fail("%u self-tests failed", nr_failed);
}

INIT_FN(selftest_run, INIT_TEST, 0);
