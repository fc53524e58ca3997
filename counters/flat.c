/* SPDX-License-Identifier: Apache-2.0 */
/* The flat counter's life, folds and sums; see counters/flat.h. */
#include "counters/flat.h"

#include "core/errno.h"
#include "core/init.h"
#include "core/log.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/topology.h"

LOCK_CLASS(flat_list_class, "counter list (CPU hotplug)");
LOCK_CLASS_OF_OBJECTS(flat_counter_class, "flat counter");
static SPINLOCK_STATIC(flat_list_lock, flat_list_class);
static struct list flat_list = LIST_INIT(flat_list);

int32_t flat_batch = FLAT_BATCH_MIN;

static void flat_batch_init(void)
{
    flat_batch = flat_batch_for(nr_cpus);
}
INIT_FN(flat_batch_init, INIT_LATE, 10);

/* The group is chained before the lock is taken, so that the hold is four stores, whatever nr. */
static void flat_list_add(struct flat_counter *counters, unsigned nr)
{
    struct list *first = &counters[0].link, *last = &counters[nr - 1].link;
    unsigned long state;

    for (unsigned i = 1; i < nr; i++) {
        counters[i - 1].link.next = &counters[i].link;
        counters[i].link.prev = &counters[i - 1].link;
    }
    state = spin_lock_irqsave(&flat_list_lock);
    first->prev = &flat_list;
    last->next = flat_list.next;
    flat_list.next->prev = last;
    flat_list.next = first;
    spin_unlock_irqrestore(&flat_list_lock, state);
}

/* I5: nothing is ever linked in between the members of a group. */
static void flat_list_remove(struct flat_counter *counters, unsigned nr)
{
    unsigned long state = spin_lock_irqsave(&flat_list_lock);
    struct list *before = counters[0].link.prev, *after = counters[nr - 1].link.next;

    before->next = after;
    after->prev = before;
    spin_unlock_irqrestore(&flat_list_lock, state);
}

int flat_init_many(struct flat_counter *counters, int64_t amount, unsigned nr)
{
    const size_t slice = percpu_slice_bytes(sizeof(int32_t), _Alignof(int32_t));
    percpu_area_t area = percpu_area_alloc_group(sizeof(int32_t), _Alignof(int32_t), nr);

    if (!area) {
        counters[0].area = 0;
        return -CS_ENOMEM;
    }
    for (unsigned i = 0; i < nr; i++) {
        spin_lock_init(&counters[i].lock, &flat_counter_class);
        atomic_store_explicit(&counters[i].count, amount, memory_order_relaxed);
        counters[i].area = area + i * slice;
    }
    flat_list_add(counters, nr);
    return 0;
}

void flat_destroy_many(struct flat_counter *counters, unsigned nr)
{
    static _Atomic bool warned;
    percpu_area_t area;

    if (unlikely(!counters)) {
        if (!atomic_exchange_explicit(&warned, true, memory_order_relaxed))
            log_warn("flat_destroy_many: no counters");
        return;
    }
    area = counters[0].area;
    if (!area)
        return;
    flat_list_remove(counters, nr);
    for (unsigned i = 0; i < nr; i++)
        counters[i].area = 0;
    percpu_area_free(area);
}

/* The caller holds the lock (I4), so a plain sum in two steps is enough; relaxed, since flat_read()
 * looks without it. */
static void flat_count_add(struct flat_counter *counter, uint64_t amount)
{
    uint64_t count = (uint64_t)atomic_load_explicit(&counter->count, memory_order_relaxed);

    atomic_store_explicit(&counter->count, (int64_t)(count + amount), memory_order_relaxed);
}

noinline void flat_fold(struct flat_counter *counter, int64_t amount)
{
    unsigned long state = spin_lock_irqsave(&counter->lock);
    int32_t part = this_cpu_read_s32(counter->area);

    flat_count_add(counter, (uint64_t)amount + (uint64_t)(int64_t)part);
    this_cpu_add_s32(counter->area, -part);
    spin_unlock_irqrestore(&counter->lock, state);
}

/* Another CPU's part: one whole word, no order. */
static inline int32_t *flat_part(percpu_area_t area, uint32_t cpu)
{
    return percpu_at(area, cpu);
}

static inline uint64_t flat_part_read(const void *part)
{
    return (uint64_t)(int64_t)__atomic_load_n((const int32_t *)part, __ATOMIC_RELAXED);
}

/* All possible CPUs, so that no mask is read: the part of one that does not run is 0. */
int64_t flat_sum(struct flat_counter *counter)
{
    unsigned long state = spin_lock_irqsave(&counter->lock);
    const char *part = percpu_at(counter->area, 0);
    uint64_t sum = (uint64_t)atomic_load_explicit(&counter->count, memory_order_relaxed) +
                   flat_part_read(part);

    for (uint32_t cpu = 1; cpu < nr_cpus; cpu++)
        sum += flat_part_read(part += PERCPU_STRIDE_BYTES);
    spin_unlock_irqrestore(&counter->lock, state);
    return (int64_t)sum;
}

void flat_set(struct flat_counter *counter, int64_t value)
{
    unsigned long state = spin_lock_irqsave(&counter->lock);

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        __atomic_store_n(flat_part(counter->area, cpu), 0, __ATOMIC_RELAXED);
    atomic_store_explicit(&counter->count, value, memory_order_relaxed);
    spin_unlock_irqrestore(&counter->lock, state);
}

int flat_compare(struct flat_counter *counter, int64_t value, int32_t batch)
{
    int order = counter_order_within(flat_read(counter), value, flat_error_bound(nr_cpus, batch));

    return order ? order : counter_order(flat_sum(counter), value);
}

int flat_compare_with(struct flat_counter *a, struct flat_counter *b, int32_t batch)
{
    uint64_t margin = 2 * flat_error_bound(nr_cpus, batch);
    int order = counter_order_within(flat_read(a), flat_read(b), margin);

    return order ? order : counter_order(flat_sum(a), flat_sum(b));
}

void flat_cpu_dead(uint32_t cpu)
{
    unsigned long state = spin_lock_irqsave(&flat_list_lock);

    for (struct list *l = flat_list.next; l != &flat_list; l = l->next) {
        struct flat_counter *counter = LIST_ENTRY(l, struct flat_counter, link);

        spin_lock(&counter->lock);
        flat_count_add(counter, flat_part_read(flat_part(counter->area, cpu)));
        __atomic_store_n(flat_part(counter->area, cpu), 0, __ATOMIC_RELAXED);
        spin_unlock(&counter->lock);
    }
    spin_unlock_irqrestore(&flat_list_lock, state);
}

uint64_t flat_counters_live(void)
{
    unsigned long state = spin_lock_irqsave(&flat_list_lock);
    uint64_t live = 0;

    for (struct list *l = flat_list.next; l != &flat_list; l = l->next, live++)
        ASSERT(l->next->prev == l && l->prev->next == l);
    spin_unlock_irqrestore(&flat_list_lock, state);
    return live;
}
