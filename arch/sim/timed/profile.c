/* SPDX-License-Identifier: Apache-2.0 */
/* The contention profile (arch/lines.h): what was counted at each shared line, and its name. */
#include <arch/lines.h>
#include <arch/percpu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/sim/sim.h"
#include "arch/sim/timed/timed.h"

#define WORST 16u

static struct line *worst[WORST];
static uint32_t nr_worst;
static struct arch_line kept[WORST];

void arch_lines_reset(void)
{
    for (uint32_t i = 0; i < lines_count(); i++) {
        struct line *line = line_by_index(i);

        line->fabric = line->local = line->ended_copies = line->queued_ps = line->waited_ps = 0;
        for (uint32_t c = 0; c < line->capacity; c++)
            if (line->table[c])
                line->table[c]->requests = 0;
    }
    nr_worst = 0;
    lines_counted = true;
}

/* Stacks hold the measurement's own window. */
static bool is_of_interest(const struct line *line)
{
    uintptr_t address = line_address(line->number);

    return line->waited_ps && (address < SIM_STACKS || address >= SIM_PERCPU);
}

static void collect(void)
{
    nr_worst = 0;
    for (uint32_t i = 0; i < lines_count(); i++) {
        struct line *line = line_by_index(i);
        uint32_t at = nr_worst;

        if (!is_of_interest(line))
            continue;
        while (at > 0 && worst[at - 1]->waited_ps < line->waited_ps)
            at--;
        if (at == WORST)
            continue;
        nr_worst += nr_worst < WORST;
        memmove(&worst[at + 1], &worst[at], (nr_worst - at - 1) * sizeof(worst[0]));
        worst[at] = line;
    }
}

/* --- names --- */

/* The first variable on the line at `address`. */
static bool name_variable(char *text, size_t bytes, const char *prefix, uintptr_t address)
{
    struct sim_variable found;

    if (!sim_variable_find(address, 1u << SIM_LINE_SHIFT, &found))
        return false;
    snprintf(text, bytes, "%s%s+%#lx", prefix, found.name,
             found.at < address ? (unsigned long)(address - found.at) : 0ul);
    return true;
}

static void name_line(char *text, size_t bytes, uintptr_t address)
{
    uintptr_t offset;

    *text = '\0';
    if (address < SIM_ARENA) {
        name_variable(text, bytes, "", address);
    } else if (address >= SIM_PERCPU) {
        offset = (address - SIM_PERCPU) % PERCPU_STRIDE_BYTES;
        if (offset < PERCPU_STATIC_OFFSET ||
            !name_variable(text, bytes, "per-CPU ",
                           (uintptr_t)__start_percpu_static + offset - PERCPU_STATIC_OFFSET))
            snprintf(text, bytes, "per-CPU area %#lx", (unsigned long)offset);
    } else if (address >= SIM_STACKS) {
        snprintf(text, bytes, "stack of CPU %lu",
                 (unsigned long)((address - SIM_STACKS) / SIM_STACK_STRIDE));
    } else if (address >= SIM_VMEMMAP) {
        snprintf(text, bytes, "struct page");
    }
}

static void keep(const struct line *line, struct arch_line *out)
{
    *out = (struct arch_line){.address = line_address(line->number),
                              .far = line->fabric,
                              .near = line->local,
                              .ended = line->ended_copies,
                              .queued_ns = line->queued_ps / 1000,
                              .waited_ns = line->waited_ps / 1000};
    for (uint32_t c = 0; c < line->capacity; c++)
        out->clusters += line->table[c] && line->table[c]->requests;
    name_line(out->name, sizeof(out->name), out->address);
}

void arch_lines_stop(void)
{
    collect();
    lines_counted = false;
    for (uint32_t i = 0; i < nr_worst; i++)
        keep(worst[i], &kept[i]);
}

bool arch_lines_worst(uint32_t i, struct arch_line *out)
{
    if (i >= nr_worst)
        return false;
    *out = kept[i];
    return true;
}
