/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as it was: the old value of each word before it is written, taken back last first. */
#include <stdlib.h>

#include "arch/sim/explore/explore.h"

struct undo {
    uintptr_t at;
    uint64_t old;
};

bool explore_undo_on;
static struct undo *list;
static uint32_t used, size;

static void grow(void)
{
    size = size ? 2 * size : 4096;
    list = realloc(list, size * sizeof(*list));
    if (!list)
        sim_fatal("no memory for what %u stores replaced", size);
}

void explore_undo_word(uintptr_t at)
{
    if (used == size)
        grow();
    list[used++] = (struct undo){at, explore_word_read(at)};
}

void explore_undo_range(uintptr_t address, uint32_t bytes)
{
    for (uintptr_t at = address & ~7ul; at < address + bytes; at += 8)
        explore_undo_word(at);
}

uint32_t explore_undo_mark(void)
{
    return used;
}

void explore_undo_to(uint32_t mark)
{
    while (used > mark) {
        used--;
        explore_word_write(list[used].at, UINT64_MAX, list[used].old);
    }
}
