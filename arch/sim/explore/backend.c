/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The explorer as a backend: CPUs of a scenario are switched at every access, and see memory as
 * views.c says. Outside of a schedule (boot, begin(), end()) it is the round robin of turns.c,
 * which has but one CPU to give turns to; stores are noted for undo.c.
 */
#include <string.h>

#include "arch/process/process.h"
#include "arch/sim/explore/explore.h"

#define SPURIOUS_ODDS 8u /* of a weak compare-exchange, under weak memory */

extern const struct sim_backend *const __start_sim_backends[], *const __stop_sim_backends[];
static const struct sim_backend *alone; /* turns.c */

static void explore_init(void)
{
    for (const struct sim_backend *const *b = __start_sim_backends; b < __stop_sim_backends; b++)
        if (!strcmp((*b)->name, "turns"))
            alone = *b;
    if (!alone)
        process_usage("backend=explore needs the backend \"turns\", which is not linked in");
    if (!explore_options.names)
        process_usage("backend=explore: expected explore=all, or a list of scenarios, beside it");
    explore_options.seed = sim_options.seed;
    alone->init();
}

/* --- plain accesses --- */

static void explore_plain(uintptr_t address, uint32_t bytes, bool write, bool is_volatile)
{
    if (!explore.running) {
        if (write && explore_undo_on)
            explore_undo_range(address, bytes);
        alone->plain(address, bytes, write, is_volatile);
        return;
    }
    explore_settle();
    explore_step(false);
    if (explore.memory == EXPLORE_SC || explore.quiet) {
        if (write)
            explore_undo_range(address, bytes);
        if (write && explore.awaiting)
            explore_wake_awaiting(address & ~7ul);
        explore_trace(write ? "writes" : "read", address, bytes,
                      explore_word_read(address & ~7ul) >> 8 * (address & 7), 0);
    } else if (write) {
        explore_open_write(address, bytes);
    } else {
        explore_open_read(address, bytes);
        explore_trace("read", address, bytes,
                      explore_word_read(address & ~7ul) >> 8 * (address & 7), 0);
    }
}

/* V4. */
static void explore_range(uintptr_t address, uint32_t bytes, bool write)
{
    if (!explore.running || write || explore.memory == EXPLORE_SC || explore.quiet) {
        explore_plain(address, bytes, write, false);
        return;
    }
    explore_settle();
    explore_step(false);
    explore_trace("read", address, bytes, 0, 0);
    explore_full_barrier();
}

/* --- atomic accesses --- */

static uint64_t explore_atomic_load(uintptr_t address, uint32_t bytes, int order)
{
    uint64_t value;

    if (!explore.running)
        return alone->load(address, bytes, order);
    explore_settle();
    explore_step(false);
    value = explore_load(address, bytes, order);
    explore_trace("load", address, bytes, value, order);
    return value;
}

static void explore_atomic_store(uintptr_t address, uint32_t bytes, uint64_t value, int order)
{
    if (!explore.running) {
        if (explore_undo_on)
            explore_undo_range(address, bytes);
        alone->store(address, bytes, value, order);
        return;
    }
    explore_settle();
    explore_step(false);
    explore_trace("store", address, bytes, value, order);
    explore_store(address, bytes, value, order);
}

static uint64_t explore_rmw(uintptr_t address, uint32_t bytes, enum sim_rmw op, uint64_t operand,
                            int order)
{
    static const char *const names[] = {"xchg", "add", "sub", "and", "or", "xor", "nand"};
    uint64_t old;

    if (!explore.running) {
        if (explore_undo_on)
            explore_undo_range(address, bytes);
        return alone->rmw(address, bytes, op, operand, order);
    }
    explore_settle();
    explore_step(false);
    explore_ready_rmw(address, bytes, order);
    old = sim_do_rmw(address, bytes, op, operand);
    explore_done_rmw(address, bytes, old, true, order);
    explore_trace(names[op], address, bytes, operand, order);
    return old;
}

static bool explore_cas(uintptr_t address, uint32_t bytes, uint64_t *expected, uint64_t desired,
                        int order, int fail_order, bool weak)
{
    uint64_t old;
    bool done;

    if (!explore.running) {
        if (explore_undo_on)
            explore_undo_range(address, bytes);
        return alone->cas(address, bytes, expected, desired, order, fail_order, weak);
    }
    explore_settle();
    explore_step(false);
    if (weak && explore.memory == EXPLORE_WEAK &&
        explore_choice((uint8_t)!explore_draw(SPURIOUS_ODDS)) == 1) {
        explore_trace("cas in vain", address, bytes, desired, fail_order);
        return false;
    }
    explore_ready_rmw(address, bytes, order);
    old = *expected;
    done = sim_do_cas(address, bytes, &old, desired);
    explore_done_rmw(address, bytes, done ? *expected : old, done, done ? order : fail_order);
    explore_trace(done ? "cas" : "cas failed", address, bytes, done ? desired : old, order);
    *expected = old;
    return done;
}

static void explore_atomic_fence(int order)
{
    if (!explore.running) {
        alone->fence(order);
        return;
    }
    explore_settle();
    explore_step(false);
    explore_trace("fence", 0, 0, 0, order);
    explore_fence(order);
}

/* --- this_cpu_*: a load and a store in one step, of which the store waits in the buffer --- */

static uint64_t explore_percpu_load(uintptr_t address, uint32_t bytes)
{
    return explore_atomic_load(address, bytes, __ATOMIC_RELAXED);
}

static void explore_percpu_store(uintptr_t address, uint32_t bytes, uint64_t value)
{
    explore_atomic_store(address, bytes, value, __ATOMIC_RELAXED);
}

static void explore_percpu_add(uintptr_t address, uint32_t bytes, uint64_t amount)
{
    uint64_t value;

    if (!explore.running) {
        if (explore_undo_on)
            explore_undo_range(address, bytes);
        alone->percpu_add(address, bytes, amount);
        return;
    }
    explore_settle();
    explore_step(false);
    value = explore_load(address, bytes, __ATOMIC_RELAXED) + amount;
    explore_trace("own add", address, bytes, value, 0);
    explore_store(address, bytes, value, __ATOMIC_RELAXED);
}

static bool explore_percpu_cas(uintptr_t address, uint32_t bytes, uint64_t *expected,
                               uint64_t desired)
{
    uint64_t mask = bytes == 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1, now;

    if (!explore.running) {
        if (explore_undo_on)
            explore_undo_range(address, bytes);
        return alone->percpu_cas(address, bytes, expected, desired);
    }
    explore_settle();
    explore_step(false);
    now = explore_load(address, bytes, __ATOMIC_RELAXED);
    if ((now ^ *expected) & mask) {
        *expected = now;
        return false;
    }
    explore_trace("own cas", address, bytes, desired, 0);
    explore_store(address, bytes, desired, __ATOMIC_RELAXED);
    return true;
}

/* --- waiting --- */

static void explore_relax(void)
{
    if (!explore.running) {
        alone->relax();
        return;
    }
    explore_settle();
    explore_step(true);
}

static uint64_t explore_stamp(void)
{
    if (!explore.running)
        return alone->stamp();
    explore_settle();
    explore_step(false);
    return explore.now;
}

/* The host compares the word behind a full barrier (futex(2)). No net of a time-out: a wake that
 * is lost shall be seen. */
static void explore_sleep(uintptr_t word, uint32_t old)
{
    if (!explore.running) {
        alone->relax();
        return;
    }
    explore_settle();
    explore_step(true);
    explore_full_barrier();
    if ((uint32_t)sim_do_load(word, 4) != old || explore.quiet)
        return;
    explore_trace("sleeps", word, 4, old, 0);
    explore_block(EXPLORE_ASLEEP, word);
    explore_full_barrier();
}

static void explore_wake(uintptr_t word)
{
    if (!explore.running)
        return;
    explore_settle();
    explore_step(false);
    explore_full_barrier();
    explore_trace("wakes", word, 4, 0, 0);
    explore_wake_sleepers(word);
}

static void explore_park(void)
{
    struct sim_cpu *me = sim_this;

    if (!explore.running) {
        alone->park();
        return;
    }
    explore_settle();
    explore_step(false);
    explore_trace("parks", 0, 0, me->kicked, 0);
    if (!me->kicked)
        explore_block(EXPLORE_PARKED, 0);
    explore_full_barrier();
}

/* cpus.c has set `kicked`; what was stored before is seen by whoever is kicked. */
static void explore_kick(struct sim_cpu *cpu)
{
    if (!explore.running) {
        alone->kick(cpu);
        return;
    }
    explore_settle();
    explore_full_barrier();
    explore_trace("kicks", 0, 0, cpu->id, 0);
    explore_unpark(cpu);
    explore_step(false);
}

static void explore_cpu_start(struct sim_cpu *cpu)
{
    alone->cpu_start(cpu);
}

/* A panic: what it says is the schedule's failure, explore_output(). */
static void explore_alone(void)
{
    if (explore.ending)
        return;
    if (!explore.running) {
        alone->alone();
        return;
    }
    explore_settle();
    for (uint32_t i = 0; i < EXPLORE_CPUS_MAX; i++)
        explore_drain_all(i);
    explore.quiet = true;
}

/* A part or end() that prints has found something wrong. Its first whole line counts. */
static bool explore_output(const char *text, size_t bytes)
{
    static char line[200];
    static size_t used;

    if (!explore.running && !explore.ending)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n' || used == sizeof(line) - 1) {
            line[used] = '\0';
            used = 0;
            explore_stop(line);
        }
        if (text[i] != '\r')
            line[used++] = text[i];
    }
    return true;
}

static const struct sim_backend backend_explore = {
    .name = "explore",
    .summary = "schedules at random, explore= (docs/schedule-exploration.md)",
    .params = "selftest=none bench=none",
    .cpus = 2 * EXPLORE_CPUS_MAX,
    .explores = true,
    .init = explore_init,
    .argument = explore_argument,
    .chosen_by = "explore=all, or a list of scenarios,",
    .output = explore_output,
    .plain = explore_plain,
    .range = explore_range,
    .load = explore_atomic_load,
    .store = explore_atomic_store,
    .rmw = explore_rmw,
    .cas = explore_cas,
    .fence = explore_atomic_fence,
    .percpu_load = explore_percpu_load,
    .percpu_store = explore_percpu_store,
    .percpu_add = explore_percpu_add,
    .percpu_cas = explore_percpu_cas,
    .relax = explore_relax,
    .stamp = explore_stamp,
    .stamp_loose = explore_stamp,
    .sleep = explore_sleep,
    .wake = explore_wake,
    .cpu_start = explore_cpu_start,
    .park = explore_park,
    .kick = explore_kick,
    .alone = explore_alone,
};
SIM_BACKEND(backend_explore);
