/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters that choose among registered things by name: "bench=update,lifecycle",
 * "designs=flat,tree". "all" and, where it makes sense, "none" stand for themselves.
 */
#ifndef CORE_CHOICE_H
#define CORE_CHOICE_H

#include "core/compiler.h"
#include "core/registry.h"

#define CHOICE_NAMES_BYTES 2048u

/* The names there are: "all, none, baseline, update". */
struct choice_names {
    char text[CHOICE_NAMES_BYTES];
    size_t bytes; /* without the terminator */
};

/* Adds a name that is not there yet. The buffer is far larger than all names together (asserted).
 */
void choice_add(struct choice_names *names, const char *name);

/* What a parameter chooses among, for those who ask. */
struct choice {
    const char *thing; /* "storm" */
    void (*add_names)(struct choice_names *names);
};

REGISTRY_DECLARE(choices, const struct choice);
#define CHOICE(id, thing_, add_names_)                                                             \
    static const struct choice choice_##id = {                                                     \
        .thing = thing_, .add_names = add_names_};                                                 \
    REGISTRY_ADD(choices, const struct choice, choice_##id)

/* A line or more for each of them: "storms there are: all, none, baseline". */
void choice_list(void);

/* Reports each item of `list` that is no name, as an error of the parameter `param`; `thing` is
 * what they name ("storm"). Returns the list, or `otherwise` where it has no name at all. */
const char *choice_check(const char *param, const char *thing, const char *list,
                         const struct choice_names *names, const char *otherwise);

#endif
