/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of counter trees from CPU counts and fan-outs; see counters/tree_shape.h. */
#include "counters/tree_shape.h"

#include "core/errno.h"
#include "core/panic.h"

static bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

/* The smallest k with 2^k >= n; n >= 1. */
static uint32_t order_up(uint32_t n)
{
    return n == 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

static uint32_t order_of(uint32_t power_of_two)
{
    return (uint32_t)__builtin_ctz(power_of_two);
}

void tree_arity_published(uint32_t nr_cpus, struct tree_arity *arity)
{
    uint32_t order = order_up(nr_cpus);

    arity->nr = 0;
    if (order <= 5) {
        arity->fan_out[arity->nr++] = 1u << order;
        return;
    }
    if (order == 6) {
        arity->fan_out[arity->nr++] = 16;
        arity->fan_out[arity->nr++] = 4;
        return;
    }
    for (; order > 4; order -= 3)
        arity->fan_out[arity->nr++] = 8;
    arity->fan_out[arity->nr++] = 1u << order;
}

static const char *arity_number(const char *text, uint32_t *number)
{
    uint32_t n = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        n = MIN(n * 10 + (uint32_t)(*text - '0'), TREE_CPUS_MAX + 1);
    *number = n;
    return text;
}

int tree_arity_parse(const char *text, struct tree_arity *arity, const char **why)
{
    struct tree_arity found = {0};

    for (;; text++) {
        uint32_t fan_out;

        text = arity_number(text, &fan_out);
        if (fan_out < 2 || fan_out > TREE_CPUS_MAX || !is_power_of_two(fan_out)) {
            *why = "each fan-out must be a power of two from 2 to 65536";
            return -CS_EINVAL;
        }
        if (found.nr == TREE_ARITY_MAX) {
            *why = "more than 8 fan-outs";
            return -CS_EINVAL;
        }
        found.fan_out[found.nr++] = fan_out;
        if (*text == '\0')
            break;
        if (*text != ',') {
            *why = "fan-outs are separated by commas, without blanks";
            return -CS_EINVAL;
        }
    }
    *arity = found;
    return 0;
}

bool tree_batch_is_valid(uint32_t batch)
{
    return is_power_of_two(batch) && batch <= TREE_BATCH_MAX;
}

/* The number of leaves that the fan-outs reach as an order, or -1 when they are not valid. */
static int arity_order(const struct tree_arity *arity)
{
    uint32_t order = 0;

    if (!arity->nr || arity->nr > TREE_ARITY_MAX)
        return -1;
    for (uint32_t i = 0; i < arity->nr; i++) {
        if (!is_power_of_two(arity->fan_out[i]))
            return -1;
        order += order_of(arity->fan_out[i]);
    }
    return (int)order;
}

static void lay_levels(struct tree_shape *shape, const struct tree_arity *arity, uint32_t order)
{
    uint32_t position = 1, shift = 0;

    for (uint32_t k = 0; k < shape->nr_levels; k++) {
        shift += order_of(arity->fan_out[k]);
        shape->level[k].cpu_shift = shift;
        shape->level[k].batch = (int64_t)shape->batch << shift;
        shape->level[k].items = 1u << (order - shift);
    }
    for (uint32_t k = shape->nr_levels; k-- > 0;) { /* from the root downwards (I3) */
        shape->level[k].first = position;
        position += shape->level[k].items;
    }
    shape->nr_positions = position;
}

int tree_shape_make(struct tree_shape *shape, uint32_t nr_cpus, uint32_t batch,
                    const struct tree_arity *arity, const char **why)
{
    int order = arity_order(arity);

    if (order < 0) {
        *why = "each fan-out must be a power of two";
        return -CS_EINVAL;
    }
    if (!tree_batch_is_valid(batch)) {
        *why = "the batch must be a power of two from 1 to 128";
        return -CS_EINVAL;
    }
    if (order > (int)order_of(TREE_CPUS_MAX)) {
        *why = "the product of the fan-outs is above 65536";
        return -CS_EINVAL;
    }
    if (!nr_cpus || nr_cpus > 1u << order) {
        *why = "the product of the fan-outs is below the number of CPUs";
        return -CS_EINVAL;
    }
    *shape = (struct tree_shape){.nr_cpus = nr_cpus, .batch = batch, .nr_levels = arity->nr - 1};
    lay_levels(shape, arity, (uint32_t)order);
    return 0;
}

void tree_shape_published(struct tree_shape *shape, uint32_t nr_cpus, uint32_t batch)
{
    struct tree_arity arity;
    const char *why;

    ASSERT(nr_cpus >= 1 && nr_cpus <= TREE_CPUS_MAX);
    tree_arity_published(nr_cpus, &arity);
    if (tree_shape_make(shape, nr_cpus, batch, &arity, &why))
        panic("published shape for %u CPUs, batch %u: %s", nr_cpus, batch, why);
}

uint64_t tree_shape_error_bound(const struct tree_shape *shape)
{
    uint64_t bound = (uint64_t)shape->nr_cpus * (shape->batch - 1);
    uint64_t below = shape->batch;

    for (uint32_t k = 0; k < shape->nr_levels; k++) {
        uint64_t batch = (uint64_t)shape->level[k].batch;

        bound += shape->level[k].items * (batch - below);
        below = batch;
    }
    return bound;
}

/* C(k) of tree_shape.h for the level whose batch is given; up to 2^62. */
static uint64_t passed_at_most(uint64_t largest, uint64_t batch)
{
    return ALIGN_UP(largest, batch);
}

uint64_t tree_shape_transient_bound(const struct tree_shape *shape, uint64_t largest)
{
    uint32_t top = shape->nr_levels;
    uint64_t batch = top ? (uint64_t)shape->level[top - 1].batch : shape->batch;

    return shape->nr_cpus * passed_at_most(largest, batch);
}

uint64_t tree_shape_sum_transient_bound(const struct tree_shape *shape, uint64_t largest)
{
    uint64_t levels = 0;

    for (uint32_t k = 0; k < shape->nr_levels; k++)
        levels += passed_at_most(largest, (uint64_t)shape->level[k].batch);
    return 2 * tree_shape_error_bound(shape) + tree_shape_transient_bound(shape, largest) +
           shape->nr_cpus * levels;
}

uint64_t tree_shape_path_error(const struct tree_shape *shape)
{
    uint64_t error = shape->batch - 1, below = shape->batch;

    for (uint32_t k = 0; k < shape->nr_levels; k++) {
        error += (uint64_t)shape->level[k].batch - below;
        below = (uint64_t)shape->level[k].batch;
    }
    return error;
}
