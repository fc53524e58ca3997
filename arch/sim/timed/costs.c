/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operation is made of beside its accesses: instructions counted under QEMU -icount for
 * each storm, design and case (machines/instructions.csv, made by tools/sim_costs.py). Each access
 * is charged its share of them. What has no line there gets the machine's own average.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/process/process.h"
#include "arch/sim/timed/timed.h"

#define LINES_MAX 1024u
#define NAME_BYTES 40u

struct cost {
    char storm[NAME_BYTES], design[NAME_BYTES], what[NAME_BYTES];
    double instructions, accesses, rest_ns;
};

static struct cost costs[LINES_MAX];
static unsigned nr_costs;

/* The text up to the next comma, cut off *rest. */
static void take_name(char to[NAME_BYTES], char **rest, const char *path, unsigned number)
{
    char *name = strsep(rest, ",");

    if (!name || !*rest || strlen(name) >= NAME_BYTES)
        process_usage("%s:%u: expected storm,design,case,instructions,accesses,rest_ns", path,
                      number);
    strcpy(to, name);
}

static double take_number(char **rest, const char *path, unsigned number)
{
    char *text = strsep(rest, ",\n"), *end = text;
    double value = text ? strtod(text, &end) : -1;

    if (end == text || *end || value < 0 || value > 1e9)
        process_usage("%s:%u: \"%s\": expected a number from 0 to 1e9", path, number,
                      text ? text : "");
    return value;
}

static void read_cost(char *line, const char *path, unsigned number)
{
    struct cost *cost = &costs[nr_costs];

    if (*line == '#' || *line == '\n')
        return;
    if (nr_costs++ == LINES_MAX)
        process_usage("%s:%u: more than %u lines", path, number, LINES_MAX);
    take_name(cost->storm, &line, path, number);
    take_name(cost->design, &line, path, number);
    take_name(cost->what, &line, path, number);
    cost->instructions = take_number(&line, path, number);
    cost->accesses = take_number(&line, path, number);
    cost->rest_ns = take_number(&line, path, number);
}

void costs_init(void)
{
    static char path[4200];
    char line[256];
    unsigned number = 0;
    FILE *stream;

    snprintf(path, sizeof(path), "%sinstructions.csv", sim_machines_folder());
    stream = fopen(path, "re");
    if (!stream)
        process_usage("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof(line), stream))
        read_cost(line, path, ++number);
    fclose(stream);
}

static const struct cost *find(const char *storm, const char *design, const char *what)
{
    for (unsigned i = 0; i < nr_costs; i++)
        if (strcmp(costs[i].storm, storm) == 0 && strcmp(costs[i].design, design) == 0 &&
            strcmp(costs[i].what, what) == 0)
            return &costs[i];
    return NULL;
}

/* Every instruction that is not the access itself. */
static double beside(const struct cost *cost)
{
    double share = cost && cost->accesses > 0 ? cost->instructions / cost->accesses - 1 : -1;

    return share > 0 ? share : sim_machine.instructions;
}

void costs_measure(const char *storm, const char *design, const char *what)
{
    const struct cost *cost = find(storm, design, what);

    timed_set_costs(beside(cost), cost ? cost->rest_ns : 0);
}
