/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flat per-CPU counter, as the field's kernels have it (facts.md F1): a 64-bit count under a
 * spinlock, and a 32-bit part for each CPU that is folded into it when it reaches the batch.
 *
 *   struct flat_counter            CPU 0     CPU 1     CPU 2
 *   +-------------------------+   +-----+   +-----+   +-----+
 *   | lock | count | link | area -> | s32 |   | s32 |   | s32 |   |s32| < batch
 *   +-------------------------+   +-----+   +-----+   +-----+
 *                      |
 *                      +-- list of all counters, for CPUs that go offline
 *
 * I1. At rest: total = count + sum of the parts of all CPUs, modulo 2^64.
 * I2. |part| < batch, so |count - total| <= nr_cpus * (batch - 1).
 * I3. A part is changed by its own CPU alone, except by flat_set() (no concurrent updates) and
 *     flat_cpu_dead() (its CPU does not run).
 * I4. count is written under `lock` alone, and what it takes from a part leaves the part within
 *     the same hold, so a sum under the lock sees each amount once.
 * I5. Counters initialised together are neighbours in the list and slices of one per-CPU area:
 *     destroy_many takes exactly what init_many was given.
 *
 * Nothing is in flight: an update that folds is in the total once it has written count, and a sum
 * holds the lock that folds need, so I2 holds at every instant and a sum beside updates has each of
 * them or not, CPU by CPU.
 *
 * Lock order: list of counters, then a counter's lock.
 *
 * Memory order: parts and count are relaxed; a reader sees each word whole and no more. Who hands
 * a counter to other CPUs after init publishes it with release, as any object.
 *
 * Cost: an add below the batch touches the counter's line (read) and the CPU's own line. At the
 * batch also the counter's line exclusively. A sum: the counter's line and one line for each CPU.
 */
#ifndef COUNTERS_FLAT_H
#define COUNTERS_FLAT_H

#include <arch/percpu.h>

#include "core/compiler.h"
#include "core/list.h"
#include "core/spinlock.h"
#include "counters/compare.h"

struct flat_counter {
    struct spinlock lock;
    _Atomic int64_t count;
    struct list link;
    percpu_area_t area; /* int32_t on every CPU; 0 = not initialised */
};
_Static_assert(sizeof(struct flat_counter) == 40, "as large as the counter it stands for");

#define FLAT_BATCH_MIN 32

/* max(32, 2 * nr_cpus); fixed once the number of CPUs is known. */
extern int32_t flat_batch;
static inline int32_t flat_batch_for(uint32_t cpus)
{
    return (int32_t)MAX((uint32_t)FLAT_BATCH_MIN, 2 * cpus);
}

/* All counters start at `amount`: ONE per-CPU area, ONE hold of the list's lock. nr >= 1.
 * 0, or -CS_ENOMEM with counters[0].area = 0 and nothing kept. Context: any CPU. */
int flat_init_many(struct flat_counter *counters, int64_t amount, unsigned nr) must_check;
/* Takes back what init_many gave. Does nothing where counters[0].area is 0 (never initialised, or
 * destroyed); NULL warns once. No updates may run. */
void flat_destroy_many(struct flat_counter *counters, unsigned nr);

static inline must_check int flat_init(struct flat_counter *counter, int64_t amount)
{
    return flat_init_many(counter, amount, 1);
}

static inline void flat_destroy(struct flat_counter *counter)
{
    flat_destroy_many(counter, 1);
}

/* The part is full: part and amount go to the count. */
void flat_fold(struct flat_counter *counter, int64_t amount);

/* Adds; 1 <= batch, the same for all updates of a counter. Context: any, interrupts too. An amount
 * of the batch or more goes to the count at once, with the part. The total wraps at 64 bits. */
static always_inline void flat_add_batch(struct flat_counter *counter, int64_t amount,
                                         int32_t batch)
{
    percpu_area_t area = counter->area;
    int32_t part = this_cpu_read_s32(area);
    const uint64_t limit = (uint64_t)(int64_t)batch - 1;
    uint64_t next;

    do {
        next = (uint64_t)(int64_t)part + (uint64_t)amount;
        if (unlikely(next + limit > 2 * limit)) { /* |next| > limit, in one comparison */
            flat_fold(counter, amount);
            return;
        }
    } while (unlikely(!this_cpu_try_cmpxchg_s32(area, &part, (int32_t)next)));
}

/* The count alone: within nr_cpus * (batch - 1) of the total. O(1), no lock. */
static inline int64_t flat_read(struct flat_counter *counter)
{
    return atomic_load_explicit(&counter->count, memory_order_relaxed);
}

/* The total over all CPUs, under the lock; an update that runs is in it or not. */
int64_t flat_sum(struct flat_counter *counter);

/* No concurrent updates. */
void flat_set(struct flat_counter *counter, int64_t value);

/* -1, 0, 1: the total against `value`; sums only when the count alone does not decide. */
int flat_compare(struct flat_counter *counter, int64_t value, int32_t batch);

/* The same for two counters of one batch; sums only when the counts are no further apart than both
 * bounds together. */
int flat_compare_with(struct flat_counter *a, struct flat_counter *b, int32_t batch);

/* For users that count what cannot be negative. */
static inline int64_t flat_read_positive(struct flat_counter *counter)
{
    return counter_positive(flat_read(counter));
}

static inline int64_t flat_sum_positive(struct flat_counter *counter)
{
    return counter_positive(flat_sum(counter));
}

/* Folds the parts of a CPU that runs no more into their counts: it brings nothing with it when it
 * comes back, and readers of the count see what it had. */
void flat_cpu_dead(uint32_t cpu);

/* How many counters are in the list; panics where its links do not fit together. */
uint64_t flat_counters_live(void);

static inline uint64_t flat_error_bound(uint32_t cpus, int32_t batch)
{
    return (uint64_t)cpus * (uint64_t)(batch - 1);
}

#endif
