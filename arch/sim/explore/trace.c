/* SPDX-License-Identifier: Apache-2.0 */
/* What a schedule did, access by access: who, what, where in memory, where in the code. */
#include <stdio.h>
#include <string.h>

#include <arch/hooks.h>
#include <arch/machine.h>

#include "arch/sim/explore/explore.h"

#define EVENTS 4096u /* the last ones count */
#define PCS 6u

struct event {
    const char *what;
    uintptr_t address, pc[PCS];
    uint64_t value;
    uint32_t bytes, part, now;
    int order;
};

bool explore_tracing;
static struct event events[EVENTS];
static uint32_t count;

void explore_trace_reset(void)
{
    count = 0;
}

void explore_trace(const char *what, uintptr_t address, uint32_t bytes, uint64_t value, int order)
{
    struct event *e = &events[count % EVENTS];

    if (!explore_tracing)
        return;
    count++;
    *e = (struct event){
        what,        address,
        {0},         bytes == 8 || !bytes || bytes > 8 ? value : value & ((1ull << 8 * bytes) - 1),
        bytes,       explore.me,
        explore.now, order};
    (void)arch_backtrace((uintptr_t)__builtin_frame_address(0), e->pc, PCS);
}

uint32_t explore_trace_count(void)
{
    return count < EVENTS ? count : EVENTS;
}

/* The innermost function of the tested code. */
static const char *name_code(const struct event *e,
                             const char *(*lookup)(uintptr_t pc, uintptr_t *offset),
                             uintptr_t *offset)
{
    static const char *const ours[] = {"explore_", "__tsan_", "sim_", "this_cpu_", "arch_"};

    for (uint32_t i = 0; i < PCS && e->pc[i]; i++) {
        const char *name = lookup(e->pc[i], offset);
        bool own = !name;

        for (unsigned k = 0; !own && k < sizeof(ours) / sizeof(ours[0]); k++)
            own = !strncmp(name, ours[k], strlen(ours[k]));
        if (!own)
            return name;
    }
    *offset = 0;
    return "?";
}

bool explore_trace_line(uint32_t i, char *text, size_t bytes,
                        const char *(*lookup)(uintptr_t pc, uintptr_t *offset))
{
    static const char *const orders[] = {"",         " consume", " acquire",
                                         " release", " acq_rel", " seq_cst"};
    const struct event *e;
    uintptr_t offset;
    const char *function;
    char where[80];

    if (i >= explore_trace_count())
        return false;
    e = &events[(count < EVENTS ? i : count + i) % EVENTS];
    explore_name_of(e->address, where, sizeof(where));
    function = name_code(e, lookup, &offset);
    snprintf(text, bytes, "%5u CPU %u %s %s:%u %#llx%s in %s+%#lx", e->now, e->part, e->what,
             e->address ? where : "", e->bytes, (unsigned long long)e->value,
             orders[e->order & 7 & (e->order < 6 ? 7 : 0)], function, (unsigned long)offset);
    return true;
}
