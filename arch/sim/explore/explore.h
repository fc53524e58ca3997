/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the explorer share. One host thread, so nothing here is atomic.
 *
 *   hooks     backend.c    accesses of the tested code: a step, then the access by its rules
 *   who runs  schedule.c   coroutines, choices, the end of a schedule
 *   memory    views.c      store buffers, what a load may see (the three memories)
 *             words.c      the history of each word (weak memory alone)
 *             undo.c       memory as it was
 *   result    shrink.c     run, replay and shrink
 *             trace.c      what a schedule did, as text; names.c  names of places in memory
 */
#ifndef ARCH_SIM_EXPLORE_EXPLORE_H
#define ARCH_SIM_EXPLORE_EXPLORE_H

#include "arch/sim/explore/scenario.h"
#include "arch/sim/sim.h"

/* One aligned word of 8 bytes, and the bits of it that an access touches. */
struct explore_word {
    uintptr_t at;
    uint64_t bits;
};

static inline uint64_t explore_word_read(uintptr_t at)
{
    return *(const volatile uint64_t *)at;
}

static inline void explore_word_write(uintptr_t at, uint64_t bits, uint64_t value)
{
    volatile uint64_t *word = (volatile uint64_t *)at;

    *word = (*word & ~bits) | (value & bits);
}

/* The part of `address`, *bytes within one word; address and bytes move on. */
static inline struct explore_word explore_next_word(uintptr_t *address, uint32_t *bytes)
{
    uint32_t offset = *address & 7, here = 8 - offset < *bytes ? 8 - offset : *bytes;
    uint64_t bits = here == 8 ? UINT64_MAX : ((1ull << 8 * here) - 1) << 8 * offset;
    struct explore_word word = {*address - offset, bits};

    *address += here;
    *bytes -= here;
    return word;
}

static inline bool explore_is_acquire(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static inline bool explore_is_release(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* --- options.c --- */
bool explore_argument(const char *text); /* true: it was one of the explorer's */

/* --- undo.c --- */
extern bool explore_undo_on;
void explore_undo_word(uintptr_t at); /* before it is written */
void explore_undo_range(uintptr_t address, uint32_t bytes);
uint32_t explore_undo_mark(void);
void explore_undo_to(uint32_t mark);

/* --- schedule.c --- */
enum explore_state {
    EXPLORE_CAN_RUN,
    EXPLORE_PARKED,
    EXPLORE_ASLEEP,
    EXPLORE_AWAITS,
    EXPLORE_DONE
};

struct explore_run {
    const struct explore_scenario *scenario;
    enum explore_memory memory;
    bool running; /* a schedule is; else the boot CPU is alone */
    bool ending;  /* end() is */
    bool sleeps;  /* explore_lets_sleep() */
    bool reset;   /* explore_reset() */
    bool quiet;   /* it has failed and says why: no switches, plain memory */
    uint32_t now, switches;
    uint32_t awaiting; /* parts in explore_await_store(), a bit each */
    uint32_t me;       /* the part that runs */
    bool failed;
    char what[240];
    uint64_t outcome[EXPLORE_OUTCOMES];
};
extern struct explore_run explore;
extern struct sim_cpu *explore_cpu[EXPLORE_CPUS_MAX]; /* the CPU of each part */

/* A step of the CPU that runs: others may run before it goes on. relaxing: it waits for others. */
void explore_step(bool relaxing);
/* It cannot run until explore_wake(). */
void explore_block(enum explore_state state, uintptr_t word);
void explore_wake_sleepers(uintptr_t word);
void explore_wake_awaiting(uintptr_t at); /* a word has changed, or will before the next step */
void explore_unpark(const struct sim_cpu *cpu);
/* Runs one schedule by the choices (below). */
void explore_schedule(void);
void explore_seed_parts(uint64_t seed);
_Noreturn void explore_stop(const char *what); /* the schedule has failed */

/* Choices: 0 is the dullest one. A fresh schedule draws and notes them, a replay reads them and
 * takes 0 past their end. */
struct explore_choices {
    uint8_t *list;
    uint32_t used, at, size;
    bool replay;
    uint64_t random;
};
extern struct explore_choices explore_choices;
#define EXPLORE_CHOICES_MAX (1u << 18)
uint8_t explore_choice(uint8_t fresh); /* `fresh` counts where it is no replay */
static inline uint32_t explore_draw(uint32_t n)
{
    return explore_choices.replay ? 0 : (uint32_t)(sim_random(&explore_choices.random) >> 33) % n;
}

/* --- views.c: all for the CPU explore.me unless said --- */
void explore_views_reset(void);
void explore_views_discard(void); /* what the buffers hold is lost */
/* Ends what the last plain access left open (backend.h, B2): before anything else. */
void explore_settle(void);
void explore_open_read(uintptr_t address, uint32_t bytes);
void explore_open_write(uintptr_t address, uint32_t bytes);
uint64_t explore_load(uintptr_t address, uint32_t bytes, int order);
void explore_store(uintptr_t address, uint32_t bytes, uint64_t value, int order);
/* Before an access made at once to memory: what this CPU must have stored by then is stored. */
void explore_ready_rmw(uintptr_t address, uint32_t bytes, int order);
/* After it: `old` was read, and if `wrote` memory holds the new value. */
void explore_done_rmw(uintptr_t address, uint32_t bytes, uint64_t old, bool wrote, int order);
void explore_fence(int order);
/* Everything before is seen by all, nothing after is early. */
void explore_full_barrier(void);
/* Buffers: of each part that holds stores, a bit. */
extern uint32_t explore_buffered;
void explore_drain_one(uint32_t part);
void explore_drain_all(uint32_t part);

/* --- words.c --- */
void explore_words_reset(void);
void explore_words_store(uint32_t part, uintptr_t at, uint64_t before); /* memory has changed */
void explore_words_forget(uintptr_t at);
/* What `part` may read: *value is memory's, and may become an older one. Returns the earliest time
 * at which a load no earlier than `floor` can have read it. */
uint32_t explore_words_load(uint32_t part, uintptr_t at, uint32_t floor, bool newest,
                            uint64_t *value);
/* A load that memory did not serve returned `value`, no earlier than t. */
void explore_words_note(uint32_t part, uint64_t value, uint32_t t);
uint32_t explore_words_latest(uint32_t part); /* the largest such time of all its loads */

/* --- trace.c --- */
extern bool explore_tracing;
void explore_trace_reset(void);
void explore_trace(const char *what, uintptr_t address, uint32_t bytes, uint64_t value, int order);
uint32_t explore_trace_count(void);

/* --- names.c --- */
/* "unit 2 spin_nodes_percpu+0x40", "explored_lock", or the address. */
void explore_name_of(uintptr_t at, char *text, size_t bytes);
void explore_names_forget(void);

#endif
