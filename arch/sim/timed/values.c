/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of atomic stores that wait in a store buffer (R6): others find the old one in their copies
 * until the store is seen, or a hand-off would cost nothing to one who polls. Plain stores are made
 * by the tested code itself, right after its hook; their readers have synchronised by atomics.
 *
 * V1. A line's values are in the order in which they are seen.
 * V2. Every access settles its line first: what is due is written to memory, and so are this CPU's own
 *     values of the bytes accessed, with all before them, but for loads of a word stored whole,
 *     which take it from here.
 * V3. Nothing waits for a stack: a frame's words belong to other frames later, which use them without
 *     a hook.
 */
#include "arch/sim/timed/timed.h"

#include <port/layout.h>
#include <stdlib.h>

#include "arch/sim/sim.h"

struct delayed_value {
    struct delayed_value *next;
    uintptr_t address;
    uint64_t value, at;
    uint32_t bytes, cpu;
};

static struct delayed_value *spare;

static struct delayed_value *value_new(void)
{
    struct delayed_value *v = spare;

    if (v)
        spare = v->next;
    else
        v = malloc(sizeof(*v));
    if (!v)
        sim_fatal("no memory for stores that wait");
    return v;
}

static void write_first(struct line *line)
{
    struct delayed_value *v = line->delayed;

    sim_do_store(v->address, v->bytes, v->value);
    line->delayed = v->next;
    v->next = spare;
    spare = v;
}

static struct delayed_value *find_own(const struct line *line, uintptr_t address, uint32_t bytes)
{
    struct delayed_value *found = NULL;

    for (struct delayed_value *v = line->delayed; v; v = v->next)
        if (v->cpu == timed_me->id && v->address < address + bytes &&
            address < v->address + v->bytes)
            found = v;
    return found;
}

static void write_due(struct line *line)
{
    while (line->delayed && line->delayed->at <= timed_me->now)
        write_first(line);
}

void values_settle_line(struct line *line, uintptr_t address, uint32_t bytes)
{
    write_due(line);
    while (find_own(line, address, bytes))
        write_first(line);
}

/* A sibling's may still wait: it shares the core's copy. */
static void write_all(uint32_t number)
{
    struct line_slot slot = LINE_SLOTS[number];

    while (slot.record && line_by_index(slot.record - 1)->delayed)
        write_first(line_by_index(slot.record - 1));
}

/* V3 */
static bool is_on_a_stack(uintptr_t address)
{
    return address >= SIM_STACKS && address < SIM_PERCPU;
}

void values_store(uintptr_t address, uint32_t bytes, uint64_t value)
{
    uint32_t number = line_number(address);
    struct delayed_value **at, *v;

    if (timed_me->commit <= timed_me->now || is_on_a_stack(address)) {
        write_all(number);
        sim_do_store(address, bytes, value);
        return;
    }
    v = value_new();
    *v = (struct delayed_value){NULL, address, value, timed_me->commit, bytes, timed_me->id};
    at = &line_by_index(LINE_SLOTS[number].record - 1)->delayed;
    while (*at && (*at)->at <= v->at)
        at = &(*at)->next;
    v->next = *at;
    *at = v;
}

uint64_t values_load(uintptr_t address, uint32_t bytes)
{
    struct line_slot slot = LINE_SLOTS[line_number(address)];
    const struct delayed_value *own;
    struct line *line;

    if (!slot.record || !line_by_index(slot.record - 1)->delayed)
        return sim_do_load(address, bytes);
    line = line_by_index(slot.record - 1);
    write_due(line);
    own = find_own(line, address, bytes);
    if (own && own->address == address && own->bytes == bytes)
        return own->value;
    values_settle_line(line, address, bytes);
    return sim_do_load(address, bytes);
}
