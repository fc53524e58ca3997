/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU's store buffer (R6): stores wait in it for their lines, merged by line, while the CPU goes
 * on. */
#include "arch/sim/timed/timed.h"

struct pending_store *stores_find(uint32_t number)
{
    for (uint32_t i = 0; i < timed_me->nr_stores; i++)
        if (timed_me->stores[i].line == number && timed_me->stores[i].done > timed_me->now)
            return &timed_me->stores[i];
    return NULL;
}

uint64_t stores_last(void)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < timed_me->nr_stores; i++)
        if (timed_me->stores[i].done > last)
            last = timed_me->stores[i].done;
    return last;
}

static void forget_done_stores(void)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < timed_me->nr_stores; i++)
        if (timed_me->stores[i].done > timed_me->now)
            timed_me->stores[kept++] = timed_me->stores[i];
    timed_me->nr_stores = kept;
}

void stores_add(uint32_t number, uint64_t done)
{
    uint64_t first = NEVER;

    forget_done_stores();
    if (timed_me->nr_stores == timed.store_buffer) {
        for (uint32_t i = 0; i < timed_me->nr_stores; i++)
            if (timed_me->stores[i].done < first)
                first = timed_me->stores[i].done;
        timed_me->now = first > timed_me->now ? first : timed_me->now;
        forget_done_stores();
    }
    timed_me->stores[timed_me->nr_stores++] = (struct pending_store){number, done, timed_me->bytes};
}

void stores_drain(void)
{
    for (uint32_t i = 0; i < timed_me->nr_stores; i++)
        if (timed_me->stores[i].done > timed_me->now)
            timed_me->now = timed_me->stores[i].done;
    timed_me->nr_stores = 0;
}
