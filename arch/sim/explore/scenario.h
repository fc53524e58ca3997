/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scenario of the schedule explorer is (docs/schedule-exploration.md), and what it may call.
 * A scenario is one file of tests/explore/: a small program for two to four CPUs over the objects
 * of core/ and counters/, which must be right in every interleaving and every order that the memory
 * model allows.
 *
 *   begin() once, alone    ->  parts: each CPU runs part(i) at the same time, many times over with
 *                              another schedule each  ->  end(): alone, after all parts, all seen
 *
 * S1. Each schedule starts from the memory that begin() left, byte for byte: what a schedule writes
 *     is taken back afterwards. So nothing has to be freed, and a seed alone replays a schedule.
 * S2. A schedule fails by EXPLORE_CHECK, a panic, a fault, a printed line, or when it does not end:
 *     nobody can run any more, or EXPLORE_STEPS_MAX accesses were not enough.
 * S3. Variables of the scenario are memory like any other: accesses to them are where CPUs are
 *     switched, and they are stored late and read early. EXPLORE_GHOST ones are not: they are the
 *     onlooker's, seen by all at once, and are taken back as well.
 */
#ifndef ARCH_SIM_EXPLORE_SCENARIO_H
#define ARCH_SIM_EXPLORE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPLORE_CPUS_MAX 4u
#define EXPLORE_STEPS_MAX 60000u

struct explore_scenario {
    const char *name, *summary;
    uint32_t cpus; /* 2 … EXPLORE_CPUS_MAX */
    void (*begin)(uint32_t variant);
    void (*part)(uint32_t i);
    void (*end)(void);
    bool parked_is_done; /* parts that are parked in the end, and not kicked, count as done */
    /* Optional: NULL past the last one; each is explored as "name/variant". */
    const char *(*variant)(uint32_t variant);
};

#define EXPLORE_SCENARIO(object)                                                                   \
    static const struct explore_scenario *const object##_listed                                    \
        __attribute__((used, section("explore_scenarios"), aligned(sizeof(void *)))) = &(object)
extern const struct explore_scenario *const __start_explore_scenarios[] __attribute__((weak));
extern const struct explore_scenario *const __stop_explore_scenarios[] __attribute__((weak));

#define EXPLORE_GHOST __attribute__((section("explore_ghost")))

enum explore_memory { EXPLORE_SC, EXPLORE_TSO, EXPLORE_WEAK, EXPLORE_MEMORIES };
extern const char *const explore_memory_names[EXPLORE_MEMORIES];

/* --- for the parts and end() --- */

#define EXPLORE_CHECK(condition, ...)                                                              \
    do {                                                                                           \
        if (!(condition))                                                                          \
            explore_fail(__FILE__, __LINE__, __VA_ARGS__);                                         \
    } while (0)
/* Ends the schedule: it has failed. */
_Noreturn void explore_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* 0 … n - 1; the same for a seed and a part, whatever the schedule. In end(): of its own. */
uint32_t explore_random(uint32_t n);
/* Accesses so far, of all CPUs. */
uint32_t explore_now(void);
/* But for EXPLORE_SC, "earlier" between CPUs means nothing without an order that the program makes.
 */
enum explore_memory explore_memory_is(void);
/* In end(): counts, for the report, that this schedule came to outcome n. */
#define EXPLORE_OUTCOMES 16u
void explore_outcome(uint32_t n);
/* This part goes on when a store to [from, from + bytes) has become visible, or when nobody else
 * can run: so it is there when something rare happens. No access, orders nothing. */
void explore_await_store(const volatile void *from, size_t bytes);
/* The machine is reset here: no part goes on, what waits in store buffers is lost; end() follows.
 */
_Noreturn void explore_reset(void);
/* In begin(): what an object in allocated memory is called in traces. Kept until the next begin().
 */
void explore_name(const volatile void *at, size_t bytes, const char *name);
/* In begin(): waiters of this scenario sleep after long spinning (core/wait.h). Schedules then let
 * one spin on alone now and then, or hardly any would come to sleep before it is woken. */
void explore_lets_sleep(void);

/* --- for the campaign (tests/explore/campaign.c) --- */

struct explore_options {
    const char *names; /* explore=; NULL: this is no exploration */
    uint64_t schedules, seed;
    bool memory[EXPLORE_MEMORIES];
};
extern struct explore_options explore_options;

struct explore_result {
    uint64_t schedules, steps, switches;
    uint32_t steps_most;
    double seconds; /* of the host: for people */
    bool failed;
    uint64_t seed; /* of the schedule that failed */
    char what[240];
    uint64_t outcome[EXPLORE_OUTCOMES];
    uint32_t switches_found, switches_shrunk, trace_lines;
};
/* Explores until `schedules` are done or one has failed, which is then shrunk and traced. begin()
 * has been called, between explore_begin() and explore_take_back(), on the boot CPU. */
void explore_begin(void);
void explore_run(const struct explore_scenario *scenario, enum explore_memory memory,
                 uint64_t schedules, uint64_t seed, struct explore_result *result);
void explore_take_back(void);

/* Line i of the trace; the function's names by `lookup` (core/symbols.h). False past the end. */
bool explore_trace_line(uint32_t i, char *text, size_t bytes,
                        const char *(*lookup)(uintptr_t pc, uintptr_t *offset));

#endif
