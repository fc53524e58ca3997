/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spin loops (R7): a CPU that waits for a word to change is parked and costs the host nothing until
 * a store ends its copy of the word's line.
 *
 * A loop between two cpu_relax() may look at several words; each line that it loaded from atomically
 * is a watch. Where the loop looks at the clock, or at more lines than there are watches, it is not
 * parked, only slowed down.
 *
 * W1. line->parked begins the chain of watches on the line, linked by timed_watch.next; a watch's
 *     number is cpu * WATCHES + its index.
 * W2. A CPU sleeps with all of its watches linked, or with none.
 */
#include "arch/sim/timed/timed.h"

#define LOOK_AGAIN_PS 1000000000u /* deadlines are kept, whatever happens */

static struct timed_watch *watch_of(uint32_t number)
{
    return &timed_cpus[number / WATCHES].watches[number % WATCHES];
}

static void link(struct timed_cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->nr_watches; i++) {
        struct line *line = line_share(cpu->watches[i].line);

        cpu->watches[i].next = line->parked;
        line->parked = cpu->id * WATCHES + i;
    }
    cpu->parked = true;
}

static void unlink_one(struct line *line, uint32_t number)
{
    uint32_t *at = &line->parked;

    while (*at != number)
        at = &watch_of(*at)->next;
    *at = watch_of(number)->next;
}

static void unlink(struct timed_cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->nr_watches; i++)
        unlink_one(line_share(cpu->watches[i].line), cpu->id * WATCHES + i);
    cpu->parked = false;
}

/* T3: this CPU's copy has no end yet, and nobody stored since it was read, nor was a store then
 * still to be seen. Otherwise *until is when to look again. */
static bool may_wait_on(const struct timed_watch *watch, uint64_t *until)
{
    struct line *line;
    const struct grant *core;

    if (LINE_SLOTS[watch->line].tag == timed_me->tag)
        return true;
    line = line_share(watch->line);
    core = &line_cluster(line, timed_me->cluster)->core[timed_me->core_in_cluster];
    if (core->until != NEVER && core->until < *until)
        *until = core->until;
    if (line->last_store > timed_me->now && line->last_store < *until)
        *until = line->last_store;
    return core->until == NEVER && line->version == watch->version && line->last_store <= watch->at;
}

static void park(void)
{
    struct timed_cpu *me = timed_me;

    link(me);
    schedule_set_busy(me, false);
    schedule_sleep(me->now + LOOK_AGAIN_PS);
    if (!me->parked)
        return;
    unlink(me); /* by itself */
    for (uint32_t i = 0; i < me->nr_watches; i++)
        if (line_share(me->watches[i].line)->last_store > me->watches[i].at)
            sim_fatal("CPU %u slept through a store to %#lx: a fault of the simulator (T3)", me->id,
                      (unsigned long)line_address(me->watches[i].line));
    schedule_set_busy(me, true);
}

void parking_relax(void)
{
    uint64_t until = NEVER;
    bool may = timed_me->nr_watches && timed_me->nr_watches <= WATCHES && !timed_me->saw_clock;

    timed_me->now += timed.relax;
    if (!may) {
        timed_me->nr_watches = 0;
        timed_me->saw_clock = false;
        schedule_check();
        return;
    }
    schedule_sync();
    for (uint32_t i = 0; i < timed_me->nr_watches; i++)
        may &= may_wait_on(&timed_me->watches[i], &until);
    if (may)
        park();
    else if (until != NEVER && until > timed_me->now)
        timed_me->now = until;
    timed_me->nr_watches = 0;
}

void parking_wake(struct line *line, uint64_t at)
{
    while (line->parked != NO_CPU) {
        struct timed_cpu *cpu = &timed_cpus[line->parked / WATCHES];
        const struct grant *core = &line_cluster(line, cpu->cluster)->core[cpu->core_in_cluster];
        uint64_t end = core->until == NEVER ? at : core->until;

        unlink(cpu);
        schedule_set_busy(cpu, true);
        schedule_wake(cpu, end > timed_me->now ? end : timed_me->now);
    }
}
