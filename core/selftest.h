/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel tests: plain functions in a registry, written once, run in every build.
 *
 *   static void area_is_aligned(struct ktest *t) { EXPECT_EQ(t, percpu_area % 4, 0); ... }
 *   KTEST(percpu_area, area_is_aligned, KTEST_QUICK);
 *
 * The name in the report is "percpu_area.area_is_aligned". `subject` (before the dot) is what
 * selftest= selects and what selftest_subject_failed() answers for: a counter design's tests have
 * the subject "counter_<name>".
 *
 * A result can only get worse. A test that checked nothing is an error. Skips say why and are
 * counted.
 */
#ifndef CORE_SELFTEST_H
#define CORE_SELFTEST_H

#include "core/compiler.h"
#include "core/registry.h"

enum ktest_speed {
    KTEST_QUICK, /* at every boot: milliseconds, also under emulation */
    KTEST_FULL,  /* with selftest=full */
};

struct ktest {
    const char *subject, *name;
    unsigned checks, failures;
    bool skipped;
    bool full;     /* this is a full run: take more rounds */
    uint64_t seed; /* printed; what random tests start from */
    char skip_reason[80];
    const void *arg; /* of the entry */
};

struct ktest_entry {
    const char *subject, *name;
    enum ktest_speed speed;
    void (*run)(struct ktest *t);
    const void *arg; /* for tests that are registered once an object (a counter design) */
};

REGISTRY_DECLARE(ktests, const struct ktest_entry);

#define KTEST(subject_, fn, speed_)                                                                \
    static const struct ktest_entry ktest_##subject_##_##fn = {                                    \
        .subject = #subject_, .name = #fn, .speed = speed_, .run = fn};                            \
    REGISTRY_ADD(ktests, const struct ktest_entry, ktest_##subject_##_##fn)

/* Records one check; prints the first failures as "# file:line: what". Returns ok. */
bool ktest_check(struct ktest *t, bool ok, const char *file, int line, const char *format, ...)
    printf_like(5, 6);
void ktest_skip(struct ktest *t, const char *format, ...) printf_like(2, 3);

#define EXPECT(t, condition) ktest_check(t, condition, __FILE__, __LINE__, "%s", #condition)
#define EXPECT_EQ(t, got, want)                                                                    \
    __extension__({                                                                                \
        int64_t got_ = (int64_t)(got), want_ = (int64_t)(want);                                    \
        ktest_check(t, got_ == want_, __FILE__, __LINE__, "%s is %lld, expected %s = %lld", #got,  \
                    (long long)got_, #want, (long long)want_);                                     \
    })

/* Rounds for each CPU of a test that all run at once. Where many CPUs take turns on a few
 * processors, those of a full run are so many that all CPUs together make as many as 8 would: each
 * wait for another CPU costs a switch there. */
uint32_t ktest_rounds(const struct ktest *t, uint32_t quick, uint32_t full);

/* Runs fn(arg) on those CPUs, or on all that are online (core/smp.h). CPUs that do not come back
 * within `ms` still use what the test gave them: then the run ends here, with KTAP's "Bail out!".
 */
void ktest_run_on(struct ktest *t, const uint32_t *cpus, uint32_t count, void (*fn)(void *arg),
                  void *arg, uint32_t ms);
void ktest_run_all(struct ktest *t, void (*fn)(void *arg), void *arg, uint32_t ms);

/* Marks a subject as failed from elsewhere (a storm's own check) or asks. Tests that were not run
 * (selftest=none) have not failed; the report says that they were not run. */
bool selftest_subject_failed(const char *subject);
bool selftest_was_run(void);
/* "self-tests 190 passed, 0 failed, 2 skipped", or that none was run. Returns text. */
#define SELFTEST_SUMMARY_BYTES 80
char *selftest_summary(char text[SELFTEST_SUMMARY_BYTES]);

/* Lets allocations fail on purpose: the k-th (1-based) call of any allocator's public entry on this
 * CPU fails, once; 0 switches it off. Returns how many calls were counted since it was set. */
uint64_t fail_injection_set(uint64_t kth);

extern bool fail_injection_armed;
bool fail_injection_count(void);

/* Called by the allocators at their public entry: true = fail now. One read-mostly word. */
static inline bool fail_injection_hit(void)
{
    return unlikely(fail_injection_armed) && fail_injection_count();
}

#endif
