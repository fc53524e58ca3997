/* SPDX-License-Identifier: Apache-2.0 */
/* The meeting point of a measurement. See bench/barrier.h. */
#include "bench/barrier.h"

#include "core/wait.h"

void barrier_init(struct barrier *b, uint32_t members)
{
    b->members = members;
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&b->generation, 0, memory_order_relaxed);
}

static void let_go(struct barrier *b, uint32_t generation)
{
    /* Relaxed: nobody counts again before it has seen the new generation, whose store is later. */
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
    /* Release: `arrived` and what last() wrote come first (I1, I2). */
    atomic_store_explicit(&b->generation, generation + 1, memory_order_release);
    wait_wake(&b->generation);
}

bool barrier_meet(struct barrier *b, void (*last)(void *arg), void *arg, uint64_t deadline)
{
    struct wait_state wait = {.deadline = deadline};
    /* Relaxed: it cannot change before this CPU has arrived. */
    uint32_t generation = atomic_load_explicit(&b->generation, memory_order_relaxed);

    /* Acquire and release: the last one sees what all did before, I2. */
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->members) {
        if (last)
            last(arg);
        let_go(b, generation);
        return true;
    }
    while (atomic_load_explicit(&b->generation, memory_order_acquire) == generation)
        if (!wait_step(&wait, &b->generation, generation))
            /* Whoever was off its processor at the deadline may have been let go since. Acquire:
             * I2. */
            return atomic_load_explicit(&b->generation, memory_order_acquire) != generation;
    return true;
}
