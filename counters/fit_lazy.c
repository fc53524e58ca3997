/* SPDX-License-Identifier: Apache-2.0 */
/* Biases, remote lines and activation of the lazy fitted tree; see counters/fit_lazy.h. */
#include "counters/fit_lazy.h"

#include "core/errno.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/compare.h"

void fit_lazy_init_many(struct fit_lazy *counters, int64_t amount, unsigned nr)
{
    for (unsigned i = 0; i < nr; i++)
        counters[i] = (struct fit_lazy){
            .bias = (uint64_t)amount, .owner = this_cpu_id(), .lane = i % TREE_LANES};
}

void fit_lazy_destroy_many(struct fit_lazy *counters, const struct fit_kind *kind, unsigned nr)
{
    struct fit_counter tree = counters[0].tree;

    fit_parts_free(tree, kind, nr);
    for (unsigned i = 0; i < nr; i++) {
        kfree(counters[i].remote);
        counters[i].remote = NULL;
        counters[i].tree = (struct fit_counter){0};
    }
}

static struct tree_line **lazy_remote(struct fit_lazy *counter)
{
    return &(counter - counter->lane)->remote;
}

/* Its lines, made if need be; NULL without memory. */
static struct tree_line *lazy_remote_make(struct fit_lazy *counter)
{
    struct tree_line **remote = lazy_remote(counter), *had = NULL;
    struct tree_line *made = kzalloc(FIT_LAZY_REMOTE * sizeof(*made));

    if (!made)
        return NULL;
    if (__atomic_compare_exchange_n(remote, &had, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    kfree(made);
    return had;
}

static struct tree_line *lazy_remote_lines(struct fit_lazy *counter)
{
    return __atomic_load_n(lazy_remote(counter), __ATOMIC_ACQUIRE);
}

static void lazy_add_remote(struct fit_lazy *counter, int64_t amount)
{
    struct tree_line *lines = lazy_remote_lines(counter);

    if (!lines)
        lines = lazy_remote_make(counter);
    if (lines)
        atomic_fetch_add_explicit(
            &lines[(uint64_t)this_cpu_id() * FIT_LAZY_REMOTE / nr_cpus].item[counter->lane], amount,
            memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&counter->spare, (uint64_t)amount, memory_order_relaxed);
}

noinline void fit_lazy_add_bias(struct fit_lazy *counter, int64_t amount)
{
    if (atomic_load_explicit(&counter->owner, memory_order_relaxed) == this_cpu_id())
        local_word_add(&counter->bias, (uint64_t)amount);
    else
        lazy_add_remote(counter, amount);
}

static uint64_t lazy_biases(struct fit_lazy *counter)
{
    struct tree_line *lines = lazy_remote_lines(counter);
    uint64_t sum = local_word_read(&counter->bias) +
                   atomic_load_explicit(&counter->spare, memory_order_relaxed);

    for (uint32_t i = 0; lines && i < FIT_LAZY_REMOTE; i++)
        sum += (uint64_t)atomic_load_explicit(&lines[i].item[counter->lane], memory_order_relaxed);
    return sum;
}

static bool lazy_is_won(struct fit_lazy *counters)
{
    return atomic_load_explicit(&counters[0].owner, memory_order_relaxed) == FIT_LAZY_ACTIVATED;
}

/* I3: the first counter's owner decides. */
static bool lazy_publish(struct fit_lazy *counters, const struct fit_counter *made, unsigned nr)
{
    if (atomic_exchange_explicit(&counters[0].owner, FIT_LAZY_ACTIVATED, memory_order_relaxed) ==
        FIT_LAZY_ACTIVATED)
        return false;
    for (unsigned i = 0; i < nr; i++)
        counters[i].tree.root = made[i].root;
    for (unsigned i = 0; i < nr; i++)
        __atomic_store_n(&counters[i].tree.area, made[i].area, __ATOMIC_RELEASE);
    return true;
}

int fit_lazy_activate(struct fit_lazy *counters, const struct fit_kind *kind, unsigned nr)
{
    struct fit_counter *made;
    int error = -CS_ENOMEM;

    if (fit_lazy_is_active(&counters[0]))
        return 0;
    made = kzalloc(nr * sizeof(*made));
    if (made && !fit_init_many(made, kind, 0, nr)) {
        if (!lazy_publish(counters, made, nr))
            fit_destroy_many(made, kind, nr);
        error = 0;
    }
    kfree(made);
    /* Without memory, but another CPU had some. */
    return lazy_is_won(counters) ? 0 : error;
}

int64_t fit_lazy_read(struct fit_lazy *counter)
{
    uint64_t tree = fit_lazy_is_active(counter) ? (uint64_t)fit_read(&counter->tree) : 0;

    return (int64_t)(lazy_biases(counter) + tree);
}

int64_t fit_lazy_sum(struct fit_lazy *counter, const struct fit_kind *kind)
{
    uint64_t tree = fit_lazy_is_active(counter) ? (uint64_t)fit_sum(&counter->tree, kind) : 0;

    return (int64_t)(lazy_biases(counter) + tree);
}

void fit_lazy_set(struct fit_lazy *counter, const struct fit_kind *kind, int64_t value)
{
    struct tree_line *lines = lazy_remote_lines(counter);

    local_word_set(&counter->bias, (uint64_t)value);
    atomic_store_explicit(&counter->spare, 0, memory_order_relaxed);
    for (uint32_t i = 0; lines && i < FIT_LAZY_REMOTE; i++)
        atomic_store_explicit(&lines[i].item[counter->lane], 0, memory_order_relaxed);
    if (fit_lazy_is_active(counter))
        fit_set(&counter->tree, kind, 0);
}

int fit_lazy_compare(struct fit_lazy *counter, const struct fit_kind *kind, int64_t value)
{
    uint64_t bound = fit_lazy_is_active(counter) ? fit_error_bound(&kind->shape) : 0;
    int order = counter_order_within(fit_lazy_read(counter), value, bound);

    return order ? order : counter_order(fit_lazy_sum(counter, kind), value);
}
