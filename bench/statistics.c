/* SPDX-License-Identifier: Apache-2.0 */
/* Median, spread and interval of samples; integers only. See bench/statistics.h. */
#include "bench/statistics.h"

#include "core/string.h"

#define OUTLIER_DEVIATIONS 5u
#define OUTLIER_MIN_PERCENT 1u

/* Insertion: a handful of samples, a thousand at most. */
void statistics_sort(uint64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint64_t value = values[i];
        uint32_t at = i;

        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* Of sorted values; with an even count the mean of the middle two, without overflow. */
static uint64_t middle(const uint64_t *sorted, uint32_t count)
{
    uint64_t low = sorted[(count - 1) / 2], high = sorted[count / 2];

    return low + (high - low) / 2;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint32_t permyriad(uint64_t part, uint64_t whole)
{
    uint64_t value;

    if (!whole)
        return 0;
    if (part > UINT64_MAX / 10000)
        value = part / (whole / 10000 ? whole / 10000 : 1);
    else
        value = (part * 10000 + whole / 2) / whole;
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

bool statistics_is_outlier(const struct statistics *s, uint64_t value)
{
    uint64_t off = distance(value, s->median);

    return off / OUTLIER_DEVIATIONS > s->deviation && off > s->median / 100 * OUTLIER_MIN_PERCENT;
}

bool statistics_differ(const struct statistics *a, const struct statistics *b)
{
    return a->has_interval && b->has_interval && (a->high < b->low || b->high < a->low);
}

void statistics_of(uint64_t *values, uint32_t count, uint64_t *scratch, struct statistics *out)
{
    uint32_t rank = statistics_interval_rank(count);

    memset(out, 0, sizeof(*out));
    statistics_sort(values, count);
    out->count = count;
    out->min = values[0];
    out->max = values[count - 1];
    out->median = middle(values, count);
    for (uint32_t i = 0; i < count; i++)
        scratch[i] = distance(values[i], out->median);
    statistics_sort(scratch, count);
    out->deviation = middle(scratch, count);
    out->error_permyriad = permyriad(out->deviation, out->median);
    out->has_interval = rank > 0;
    if (rank > 0) {
        out->low = values[rank - 1];
        out->high = values[count - rank];
    }
    for (uint32_t i = 0; i < count; i++)
        out->outliers += statistics_is_outlier(out, values[i]);
}
