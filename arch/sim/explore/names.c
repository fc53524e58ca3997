/* SPDX-License-Identifier: Apache-2.0 */
/* Names of places in memory, for traces: static variables from the program's own symbol table,
 * per-CPU ones too, and what a scenario has named. */
#include <stdio.h>

#include <arch/percpu.h>

#include "arch/sim/explore/explore.h"

#define NAMED_MAX 16u

static struct {
    uintptr_t at;
    size_t bytes;
    const char *name;
} named[NAMED_MAX];
static uint32_t nr_named;

void explore_names_forget(void)
{
    nr_named = 0;
}

void explore_name(const volatile void *at, size_t bytes, const char *name)
{
    if (nr_named < NAMED_MAX) {
        named[nr_named].at = (uintptr_t)at;
        named[nr_named].bytes = bytes;
        named[nr_named++].name = name;
    }
}

static void put_name(char *text, size_t bytes, const char *name, uintptr_t offset)
{
    if (offset)
        snprintf(text, bytes, "%s+%#lx", name, (unsigned long)offset);
    else
        snprintf(text, bytes, "%s", name);
}

static bool name_static(uintptr_t at, char *text, size_t bytes)
{
    struct sim_variable found;

    if (!sim_variable_find(at, 1, &found))
        return false;
    put_name(text, bytes, found.name, at - found.at);
    return true;
}

static bool name_in_unit(uintptr_t at, char *text, size_t bytes)
{
    for (uint32_t cpu = 0; cpu < sim_options.cpus; cpu++) {
        uintptr_t offset = at - percpu_base(cpu);
        size_t used;

        if (offset >= PERCPU_STRIDE_BYTES)
            continue;
        used = (size_t)snprintf(text, bytes, "unit %u ", cpu);
        if (offset - PERCPU_STATIC_OFFSET >= percpu_static_bytes() ||
            !name_static((uintptr_t)percpu_image_start + offset - PERCPU_STATIC_OFFSET, text + used,
                         bytes - used))
            put_name(text + used, bytes - used, "", offset);
        return true;
    }
    return false;
}

void explore_name_of(uintptr_t at, char *text, size_t bytes)
{
    for (uint32_t i = 0; i < nr_named; i++)
        if (at - named[i].at < named[i].bytes) {
            put_name(text, bytes, named[i].name, at - named[i].at);
            return;
        }
    if (!name_in_unit(at, text, bytes) && !name_static(at, text, bytes))
        snprintf(text, bytes, "%#lx", (unsigned long)at);
}
