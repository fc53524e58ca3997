/* SPDX-License-Identifier: Apache-2.0 */
/* explore=, schedules= and memory= of the command line. */
#include <stdlib.h>
#include <string.h>

#include "arch/process/process.h"
#include "arch/sim/explore/explore.h"

#define SCHEDULES_DEFAULT 1000u

const char *const explore_memory_names[EXPLORE_MEMORIES] = {"sc", "tso", "weak"};
struct explore_options explore_options = {.schedules = SCHEDULES_DEFAULT};

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

bool explore_argument(const char *text)
{
    const char *value;
    char *end;

    if (value_of(text, "explore=", &value)) {
        explore_options.names = value;
        sim_options.backend = "explore";
        if (!explore_options.memory[EXPLORE_SC])
            parse_memory("all");
    } else if (value_of(text, "schedules=", &value)) {
        explore_options.schedules = strtoull(value, &end, 10);
        if (*end || end == value || !explore_options.schedules)
            process_usage("%s: expected a number from 1", text);
    } else if (value_of(text, "memory=", &value)) {
        parse_memory(value);
    } else {
        return false;
    }
    return true;
}
