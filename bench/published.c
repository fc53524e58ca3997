/* SPDX-License-Identifier: Apache-2.0 */
/* Finding published figures. See bench/published.h. */
#include "bench/published.h"

#include "bench/storm.h"
#include "core/param.h"
#include "core/string.h"

static const char *variant_of(const struct storm *storm)
{
    if (storm->published_variant)
        return storm->published_variant;
    if (!storm->counter)
        return "";
    if (storm->measures_updates)
        return storm->counter->published_as ? storm->counter->published_as : "";
    return storm->counter->name;
}

const struct published_row *published_next(const struct storm *storm, const struct storm_case *cs,
                                           uint32_t *at)
{
    if (!storm->published_bench || !cs->published)
        return NULL;
    while (*at < published_nr_rows) {
        const struct published_row *row = &published_rows[(*at)++];

        if (strcmp(row->bench, storm->published_bench) == 0 &&
            strcmp(row->variant, variant_of(storm)) == 0 &&
            param_list_has(cs->published, row->case_name))
            return row;
    }
    return NULL;
}
