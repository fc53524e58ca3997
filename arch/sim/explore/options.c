/* SPDX-License-Identifier: Apache-2.0 */
/* explore=, schedules= and memory= of the command line. */
#include <string.h>

#include "arch/process/process.h"
#include "arch/sim/explore/explore.h"

#define SCHEDULES_DEFAULT 1000u
#define SCHEDULES_MAX 1000000000000ull /* years of them; above it, sums of seeds could overflow */

const char *const explore_memory_names[EXPLORE_MEMORIES] = {"sc", "tso", "weak"};
struct explore_options explore_options = {
    .schedules = SCHEDULES_DEFAULT,
    .memory = {true, true, true},
};

static bool value_of(const char *text, const char *name, const char **value)
{
    size_t length = strlen(name);

    *value = text + length;
    return strncmp(text, name, length) == 0;
}

static void parse_memory(const char *value)
{
    for (unsigned m = 0; m < EXPLORE_MEMORIES; m++)
        explore_options.memory[m] =
            !strcmp(value, "all") || !strcmp(value, explore_memory_names[m]);
    for (unsigned m = 0; m < EXPLORE_MEMORIES; m++)
        if (explore_options.memory[m])
            return;
    process_usage("memory=%s: expected sc, tso, weak or all", value);
}

static void parse_schedules(const char *text, const char *value)
{
    if (!process_number(value, &explore_options.schedules) || !explore_options.schedules ||
        explore_options.schedules > SCHEDULES_MAX)
        process_usage("%s: expected a number from 1 to %llu", text, SCHEDULES_MAX);
}

/* In any order. Whether they are for the backend that runs at all, options.c of the port looks. */
bool explore_argument(const char *text)
{
    const char *value;

    if (value_of(text, "explore=", &value)) {
        if (!*value)
            process_usage("%s: expected all, or a list of scenarios", text);
        explore_options.names = value;
        if (!sim_options.backend)
            sim_options.backend = "explore";
    } else if (value_of(text, "schedules=", &value)) {
        parse_schedules(text, value);
    } else if (value_of(text, "memory=", &value)) {
        parse_memory(value);
    } else {
        return false;
    }
    return true;
}
