/* SPDX-License-Identifier: Apache-2.0 */
/* Biases and activation of lazy counter trees; see counters/tree_lazy.h. */
#include "counters/tree_lazy.h"

#include "core/errno.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/compare.h"

static uint64_t *lazy_bias(struct tree_counter *counter)
{
    return &counter->reserved[TREE_LAZY_BIAS];
}

static uint64_t *lazy_remote(struct tree_counter *counter)
{
    return &counter->reserved[TREE_LAZY_REMOTE];
}

static uint64_t lazy_biases(struct tree_counter *counter)
{
    return local_word_read(lazy_bias(counter)) + local_word_read(lazy_remote(counter));
}

/* `root` while it is the owner (I3). */
static uintptr_t lazy_owner(struct tree_counter *counter)
{
    return (uintptr_t)__atomic_load_n(&counter->root, __ATOMIC_RELAXED);
}

void tree_lazy_init_many(struct tree_counter *counters, const struct tree_kind *kind,
                         int64_t amount, unsigned nr)
{
    for (unsigned i = 0; i < nr; i++)
        counters[i] = (struct tree_counter){.root = (_Atomic int64_t *)(uintptr_t)this_cpu_id(),
                                            .kind = kind,
                                            .reserved = {[TREE_LAZY_BIAS] = (uint64_t)amount}};
}

void tree_lazy_destroy_many(struct tree_counter *counters, unsigned nr)
{
    if (counters[0].area)
        tree_destroy_many(counters, nr);
}

noinline void tree_lazy_add_bias(struct tree_counter *counter, int64_t amount)
{
    if (lazy_owner(counter) == this_cpu_id())
        local_word_add(lazy_bias(counter), (uint64_t)amount);
    else
        __atomic_fetch_add(lazy_remote(counter), (uint64_t)amount, __ATOMIC_RELAXED);
}

/* I4, I3: the first counter's root decides, then all roots, then all areas. */
static bool lazy_publish(struct tree_counter *counters, const struct tree_counter *made,
                         unsigned nr)
{
    _Atomic int64_t *owner = (_Atomic int64_t *)lazy_owner(&counters[0]);

    if ((uintptr_t)owner >= nr_cpus ||
        !__atomic_compare_exchange_n(&counters[0].root, &owner, made[0].root, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    for (unsigned i = 1; i < nr; i++)
        __atomic_store_n(&counters[i].root, made[i].root, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < nr; i++)
        __atomic_store_n(&counters[i].area, made[i].area, __ATOMIC_RELEASE);
    return true;
}

int tree_lazy_activate(struct tree_counter *counters, unsigned nr)
{
    struct tree_counter *made;
    int error = -CS_ENOMEM;

    if (tree_lazy_is_active(&counters[0]))
        return 0;
    made = kzalloc(nr * sizeof(*made));
    if (made && !tree_init_many(made, counters[0].kind, 0, nr)) {
        if (!lazy_publish(counters, made, nr))
            tree_destroy_many(made, nr);
        error = 0;
    }
    kfree(made);
    /* Without memory, but another CPU had some. */
    return error && lazy_owner(&counters[0]) < nr_cpus ? error : 0;
}

int64_t tree_lazy_approximate_sum(struct tree_counter *counter)
{
    uint64_t tree = tree_lazy_is_active(counter) ? (uint64_t)tree_approximate_sum(counter) : 0;

    return (int64_t)(lazy_biases(counter) + tree);
}

int64_t tree_lazy_precise_sum(struct tree_counter *counter)
{
    uint64_t tree = tree_lazy_is_active(counter) ? (uint64_t)tree_precise_sum(counter) : 0;

    return (int64_t)(lazy_biases(counter) + tree);
}

void tree_lazy_set(struct tree_counter *counter, int64_t value)
{
    local_word_set(lazy_bias(counter), (uint64_t)value);
    local_word_set(lazy_remote(counter), 0);
    if (tree_lazy_is_active(counter))
        tree_set(counter, 0);
}

uint64_t tree_lazy_error_bound(const struct tree_counter *counter)
{
    return tree_lazy_is_active(counter) ? tree_shape_error_bound(&counter->kind->shape) : 0;
}

int tree_lazy_compare(struct tree_counter *counter, int64_t value)
{
    int order = counter_order_within(tree_lazy_approximate_sum(counter), value,
                                     tree_lazy_error_bound(counter));

    return order ? order : counter_order(tree_lazy_precise_sum(counter), value);
}

int tree_lazy_compare_with(struct tree_counter *a, struct tree_counter *b)
{
    int order = counter_order_within(tree_lazy_approximate_sum(a), tree_lazy_approximate_sum(b),
                                     tree_lazy_error_bound(a) + tree_lazy_error_bound(b));

    return order ? order : counter_order(tree_lazy_precise_sum(a), tree_lazy_precise_sum(b));
}
