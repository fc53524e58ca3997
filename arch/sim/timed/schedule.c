/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs: CPUs in a heap by (local time, order of arrival); the one that runs is not in it.
 *
 * S1. heap[place[id]].cpu == id for every CPU in the heap; place[id] == NO_CPU for the others.
 * S2. A CPU that sleeps (parked on a line) is in the heap with the time at which it looks again by
 *     itself; one that is halted is not.
 */
#include <stdlib.h>

#include "arch/process/process.h"
#include "arch/sim/timed/timed.h"

#define RUN_AHEAD_PS 500000u

struct entry {
    uint64_t time;
    uint64_t order;
    uint32_t cpu;
};

static struct entry *heap;
static uint32_t *place;
static uint32_t nr;
static uint64_t next_order;
static bool is_alone; /* schedule_only_me() */

void schedule_init(void)
{
    heap = calloc(sim_options.cpus + 1, sizeof(*heap));
    place = malloc(sim_options.cpus * sizeof(*place));
    if (!heap || !place)
        process_usage("no memory for %u CPUs", sim_options.cpus);
    for (uint32_t i = 0; i < sim_options.cpus; i++)
        place[i] = NO_CPU;
}

static inline bool before(const struct entry *a, const struct entry *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void put(uint32_t at, struct entry e)
{
    heap[at] = e;
    place[e.cpu] = at;
}

static void sift_up(uint32_t at, struct entry e)
{
    while (at > 0 && before(&e, &heap[(at - 1) / 4])) {
        put(at, heap[(at - 1) / 4]);
        at = (at - 1) / 4;
    }
    put(at, e);
}

static uint32_t least_child(uint32_t at)
{
    uint32_t first = 4 * at + 1, last = first + 4 < nr ? first + 4 : nr, best = first;

    for (uint32_t i = first + 1; i < last; i++)
        if (before(&heap[i], &heap[best]))
            best = i;
    return best;
}

static void sift_down(uint32_t at, struct entry e)
{
    while (4 * at + 1 < nr) {
        uint32_t child = least_child(at);

        if (!before(&heap[child], &e))
            break;
        put(at, heap[child]);
        at = child;
    }
    put(at, e);
}

static struct entry entry_of(const struct timed_cpu *cpu, uint64_t time)
{
    return (struct entry){time, next_order++, cpu->id};
}

static void take_out(uint32_t cpu)
{
    uint32_t at = place[cpu];
    struct entry last = heap[--nr];

    place[cpu] = NO_CPU;
    if (at == nr)
        return;
    if (at > 0 && before(&last, &heap[(at - 1) / 4]))
        sift_up(at, last);
    else
        sift_down(at, last);
}

static void run(uint32_t id)
{
    struct timed_cpu *next = &timed_cpus[id];

    next->limit = next->now + RUN_AHEAD_PS;
    timed_me = next;
    sim_switch_to(&sim_cpus[id]);
}

void schedule_add(struct timed_cpu *cpu)
{
    if (is_alone)
        return;
    sift_up(nr++, entry_of(cpu, cpu->now));
}

/* This CPU takes the place of the first one, which runs. */
static void change_places(void)
{
    uint32_t first = heap[0].cpu;

    place[first] = NO_CPU;
    if (timed_cpus[first].now < heap[0].time)
        timed_cpus[first].now = heap[0].time;
    sift_down(0, entry_of(timed_me, timed_me->now));
    run(first);
}

void schedule_sync(void)
{
    if (nr && heap[0].time < timed_me->now)
        change_places();
}

uint64_t schedule_oldest(void)
{
    return nr && heap[0].time < timed_me->now ? heap[0].time : timed_me->now;
}

void schedule_pause(void)
{
    timed_me->limit = timed_me->now + RUN_AHEAD_PS;
    schedule_sync();
}

void schedule_sleep(uint64_t at)
{
    uint32_t first;

    if (at != NEVER)
        sift_up(nr++, entry_of(timed_me, at));
    if (!nr)
        sim_fatal("every CPU is halted or waits: nobody is left to wake them");
    first = heap[0].cpu;
    if (timed_cpus[first].now < heap[0].time)
        timed_cpus[first].now = heap[0].time;
    take_out(first);
    run(first);
}

void schedule_wake(struct timed_cpu *cpu, uint64_t at)
{
    if (place[cpu->id] != NO_CPU)
        take_out(cpu->id);
    if (cpu->now < at)
        cpu->now = at;
    schedule_add(cpu);
}

void schedule_only_me(void)
{
    is_alone = true;
    while (nr)
        take_out(heap[0].cpu);
}

/* A sibling that waits in a spin loop's hint gives its share away (Intel SDM, vol. 2, PAUSE). */
void schedule_set_busy(struct timed_cpu *cpu, bool busy)
{
    cpu->busy = busy;
    if (cpu->sibling != NO_CPU)
        timed_cpus[cpu->sibling].costs = busy ? &timed.shared : &timed.alone;
}
