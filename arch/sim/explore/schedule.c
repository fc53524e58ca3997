/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One schedule: the parts as coroutines on stacks of their own, switched at random at every access.
 * The driver is the boot CPU, which stands still in explore_schedule() meanwhile.
 *
 * Each step draws among: this part goes on, another one does, a buffer lets go of a store. Uniform
 * over the parts; how often buffers let go is drawn for each schedule, from nearly always to nearly
 * never. A choice is a byte (explore.h): 0 goes on, or, where this part waits or is done, takes the
 * next one that can run.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <port/new_stack.h>

#include "arch/process/process.h"
#include "arch/sim/explore/explore.h"

#define STACK_BYTES (64ul << 10)
#define SWITCH_TO 1u /* + part */
#define DRAIN 0x40u  /* + part */
#define BURST_ODDS                                                                                 \
    16u /* of a part that waits and may sleep: it waits on alone, so it comes to it */
#define BURST_STEPS 600u

struct explore_run explore;
struct explore_choices explore_choices;
struct sim_cpu *explore_cpu[EXPLORE_CPUS_MAX];

static struct {
    enum explore_state state;
    uintptr_t word; /* asleep on, or awaits a store to `bytes` there */
    size_t bytes;
    uint64_t random;
} parts[EXPLORE_CPUS_MAX];
static char *stacks;
static struct sim_cpu driver, *boot_cpu;
static sigjmp_buf driver_jump;
static uint32_t drain_mask, can_run, burst, waited;

uint8_t explore_choice(uint8_t fresh)
{
    struct explore_choices *c = &explore_choices;

    if (c->replay)
        return c->at < c->used ? c->list[c->at++] : 0;
    if (c->used == EXPLORE_CHOICES_MAX)
        explore_stop("it does not end: too many choices");
    c->list[c->used++] = fresh;
    return fresh;
}

uint32_t explore_now(void)
{
    return explore.now;
}

enum explore_memory explore_memory_is(void)
{
    return explore.memory;
}

void explore_outcome(uint32_t n)
{
    explore.outcome[n % EXPLORE_OUTCOMES]++;
}

void explore_lets_sleep(void)
{
    explore.sleeps = true;
}

uint32_t explore_random(uint32_t n)
{
    return (uint32_t)(sim_random(&parts[explore.me].random) >> 33) % n;
}

/* --- the end of a schedule --- */

static _Noreturn void leave(void)
{
    explore.running = false;
    siglongjmp(driver_jump, 1);
}

void explore_stop(const char *what)
{
    explore.failed = true;
    if (!explore.what[0])
        snprintf(explore.what, sizeof(explore.what), "%s", what);
    leave();
}

void explore_reset(void)
{
    explore_settle();
    explore.reset = true;
    leave();
}

void explore_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    int at = snprintf(explore.what, sizeof(explore.what), "%s:%d: ", file, line);

    va_start(args, format);
    vsnprintf(explore.what + at, sizeof(explore.what) - (size_t)at, format, args);
    va_end(args);
    explore_stop(explore.what);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    char text[120];

    (void)context;
    snprintf(text, sizeof(text), "signal %d (%s) at address %p on CPU %u", number,
             strsignal(number), info->si_addr, explore.me);
    explore_stop(text);
}

static void name_stuck(void)
{
    static const char *const names[] = {"runs", "parked", "asleep", "awaits", "done"};
    char text[160];
    int at = snprintf(text, sizeof(text), "nobody can run any more:");

    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, " CPU %u %s%s", i,
                       names[parts[i].state], i + 1 < explore.scenario->cpus ? "," : "");
    explore_stop(text);
}

/* --- who runs --- */

static void go_on_with(uint32_t part)
{
    if (part == explore.me)
        return;
    explore.switches++;
    explore.me = part;
    sim_switch_to(explore_cpu[part]);
}

static uint32_t nth_bit(uint32_t mask, uint32_t n)
{
    while (n--)
        mask &= mask - 1;
    return (uint32_t)__builtin_ctz(mask);
}

static uint32_t next_part(void)
{
    for (uint32_t i = 1;; i++) {
        uint32_t part = (explore.me + i) % explore.scenario->cpus;

        if (can_run & 1u << part)
            return part;
    }
}

static uint8_t fresh_step(bool relaxing)
{
    uint64_t r = sim_random(&explore_choices.random) >> 20;
    uint32_t part;

    if (explore_buffered && !((uint32_t)r & drain_mask))
        return (uint8_t)(DRAIN + nth_bit(explore_buffered,
                                         (uint32_t)(r >> 12 & 0xff) %
                                             (uint32_t)__builtin_popcount(explore_buffered)));
    if (!can_run)
        return 0;
    if (burst && can_run & 1u << explore.me) {
        burst--;
        return SWITCH_TO + (uint8_t)explore.me;
    }
    if (relaxing && explore.sleeps && !((r >> 32) % BURST_ODDS))
        burst = BURST_STEPS;
    else
        burst = 0;
    part = nth_bit(can_run, (uint32_t)(r >> 20 & 0xfff) % (uint32_t)__builtin_popcount(can_run));
    return part == explore.me && !relaxing ? 0 : (uint8_t)(SWITCH_TO + part);
}

/* The dullest step: nothing leaves a buffer before somebody waits, and who may sleep comes to it.
 */
static void dull_step(bool relaxing)
{
    if (can_run & 1u << explore.me && (!relaxing || (explore.sleeps && ++waited % BURST_STEPS)))
        return;
    if (explore_buffered && (relaxing || !can_run))
        explore_drain_one((uint32_t)__builtin_ctz(explore_buffered));
    if (can_run)
        go_on_with(next_part());
}

static void set_state(uint32_t part, enum explore_state state)
{
    uint32_t bit = 1u << part;

    parts[part].state = state;
    can_run = state == EXPLORE_CAN_RUN ? can_run | bit : can_run & ~bit;
    explore.awaiting = state == EXPLORE_AWAITS ? explore.awaiting | bit : explore.awaiting & ~bit;
}

static void next_step(bool relaxing)
{
    for (;;) {
        uint8_t choice;

        if (!can_run && !explore_buffered && explore.awaiting)
            set_state((uint32_t)__builtin_ctz(explore.awaiting), EXPLORE_CAN_RUN);
        if (!can_run && !explore_buffered)
            return;
        choice = explore_choice(explore_choices.replay ? 0 : fresh_step(relaxing));
        if (choice >= DRAIN && explore_buffered & 1u << (choice - DRAIN)) {
            explore_drain_one(choice - DRAIN);
            continue;
        }
        if (choice && choice < DRAIN && can_run & 1u << (choice - SWITCH_TO)) {
            go_on_with(choice - SWITCH_TO);
            return;
        }
        dull_step(relaxing);
        if (can_run)
            return;
    }
}

void explore_step(bool relaxing)
{
    if (explore.quiet)
        return;
    if (++explore.now > EXPLORE_STEPS_MAX)
        explore_stop("it does not end: the CPUs wait for each other, or for nobody");
    next_step(relaxing);
}

static bool all_done(void)
{
    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        if (parts[i].state != EXPLORE_DONE &&
            !(parts[i].state == EXPLORE_PARKED && explore.scenario->parked_is_done && i))
            return false;
    return true;
}

/* Returns when this part can run again; never, once it is done. */
void explore_block(enum explore_state state, uintptr_t word)
{
    uint32_t me = explore.me;

    parts[me].word = word;
    set_state(me, state);
    next_step(true);
    if (!can_run && all_done())
        leave();
    if (parts[me].state != EXPLORE_CAN_RUN)
        name_stuck();
}

void explore_wake_sleepers(uintptr_t word)
{
    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        if (parts[i].state == EXPLORE_ASLEEP && parts[i].word == word)
            set_state(i, EXPLORE_CAN_RUN);
}

void explore_wake_awaiting(uintptr_t at)
{
    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        if (explore.awaiting & 1u << i && at + 7 - parts[i].word < parts[i].bytes + 7)
            set_state(i, EXPLORE_CAN_RUN);
}

void explore_await_store(const volatile void *from, size_t bytes)
{
    if (!explore.running || explore.quiet)
        return;
    explore_settle();
    parts[explore.me].bytes = bytes;
    explore_block(EXPLORE_AWAITS, (uintptr_t)from);
}

void explore_unpark(const struct sim_cpu *cpu)
{
    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        if (explore_cpu[i] == cpu && parts[i].state == EXPLORE_PARKED)
            set_state(i, EXPLORE_CAN_RUN);
}

static void run_part(void)
{
    explore.scenario->part(explore.me);
    explore_settle();
    for (;;)
        explore_block(EXPLORE_DONE, 0);
}

/* --- a schedule --- */

static void make_stacks(void)
{
    size_t stride = STACK_BYTES + 4096;

    stacks = mmap(NULL, EXPLORE_CPUS_MAX * stride, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stacks == MAP_FAILED)
        sim_fatal("no memory for the explorer's stacks");
    for (uint32_t i = 0; i < EXPLORE_CPUS_MAX; i++)
        mprotect(stacks + i * stride, 4096, PROT_NONE);
}

static void begin_parts(void)
{
    for (uint32_t i = 0; i < explore.scenario->cpus; i++) {
        uintptr_t top = (uintptr_t)stacks + (i + 1) * (STACK_BYTES + 4096);
        struct sim_cpu *cpu = explore_cpu[i];

        cpu->stack_top = top;
        cpu->stack_low = top - STACK_BYTES;
        cpu->sp = context_new_stack(top, run_part);
        cpu->kicked = false;
        set_state(i, EXPLORE_CAN_RUN);
    }
}

/* The first two parts on neighbours, the others far away. */
static void choose_cpus(uint32_t cpus)
{
    const uint32_t at[EXPLORE_CPUS_MAX] = {0, 1, sim_options.cpus - 1, sim_options.cpus / 2};

    if (sim_options.cpus < 2 * EXPLORE_CPUS_MAX)
        process_usage("explore= needs smp=%u or more", 2 * EXPLORE_CPUS_MAX);
    for (uint32_t i = 0; i < cpus; i++)
        explore_cpu[i] = &sim_cpus[at[i]];
}

static void run_parts(void)
{
    boot_cpu = sim_this;
    driver = *boot_cpu;
    begin_parts();
    explore.me =
        explore_choice((uint8_t)explore_draw(explore.scenario->cpus)) % explore.scenario->cpus;
    drain_mask = (2u << 2 * (explore_choice((uint8_t)explore_draw(4)) % 4)) - 1;
    burst = waited = 0;
    explore.running = true;
    if (!sigsetjmp(driver_jump, 1)) {
        sim_this = &driver;
        sim_switch_to(explore_cpu[explore.me]);
    }
    explore_settle();
    sim_this = boot_cpu;
}

/* end() on the boot CPU, when all stores are seen. */
static void run_end(void)
{
    if (explore.reset)
        explore_views_discard();
    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        explore_drain_all(i);
    explore.reset = false;
    explore.ending = true;
    if (!explore.failed && explore.scenario->end && !sigsetjmp(driver_jump, 1))
        explore.scenario->end();
    explore.ending = false;
}

void explore_schedule(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction before[4];
    struct sim_cpu saved[EXPLORE_CPUS_MAX];

    if (!stacks)
        make_stacks();
    choose_cpus(explore.scenario->cpus);
    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        saved[i] = *explore_cpu[i];
    for (uint32_t i = 0; i < 4; i++)
        sigaction(faults[i], &action, &before[i]);
    run_parts();
    run_end();
    for (uint32_t i = 0; i < 4; i++)
        sigaction(faults[i], &before[i], NULL);
    for (uint32_t i = 0; i < explore.scenario->cpus; i++)
        *explore_cpu[i] = saved[i];
    explore.quiet = false;
}

/* What the parts draw depends on the seed alone. */
void explore_seed_parts(uint64_t seed)
{
    for (uint32_t i = 0; i < EXPLORE_CPUS_MAX; i++) {
        parts[i].random = (seed + i + 1) * 0x9e3779b97f4a7c15ull | 1;
        (void)sim_random(&parts[i].random);
    }
}
