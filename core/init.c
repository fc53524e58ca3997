/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the functions that hang on a stage of the boot order, by rank. */
#include "core/init.h"

#include "core/compiler.h"

const struct boot_handoff *kernel_handoff;

/* The function of `stage` that comes after (rank, position) of `last`. */
static const struct init_fn *const *init_next(enum init_stage stage,
                                              const struct init_fn *const *last)
{
    const struct init_fn *const *best = NULL;

    for (REGISTRY_EACH(init, const struct init_fn, p)) {
        if ((*p)->stage != stage)
            continue;
        if (last && ((*p)->rank < (*last)->rank || ((*p)->rank == (*last)->rank && p <= last)))
            continue;
        if (!best || (*p)->rank < (*best)->rank)
            best = p;
    }
    return best;
}

void init_run(enum init_stage stage)
{
    for (const struct init_fn *const *p = init_next(stage, NULL); p; p = init_next(stage, p))
        (*p)->run();
}
