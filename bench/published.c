/* SPDX-License-Identifier: Apache-2.0 */
/* Finding published figures. See bench/published.h. */
#include "bench/published.h"

#include "bench/team.h"
#include "core/param.h"
#include "core/string.h"

/* Whether "design=variant,…" has the pair. */
static bool pair_listed(const char *list, const char *design, const char *variant)
{
    size_t name = strlen(design), value = strlen(variant);

    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, design, name) == 0 && at[name] == '=' &&
            strncmp(at + name + 1, variant, value) == 0 &&
            (at[name + 1 + value] == ',' || !at[name + 1 + value]))
            return true;
    return false;
}

static bool is_variant_of(const struct storm *storm, const struct storm_case *cs,
                          const char *variant)
{
    const char *own = cs->published_variant ? cs->published_variant : storm->published_variant;

    if (own && strchr(own, '='))
        return pair_listed(own, storm_design_name(storm), variant);
    if (!own && storm->counter)
        own = storm->measures_updates ? storm->counter->published_as : storm->counter->name;
    return own && strcmp(own, variant) == 0;
}

const struct published_row *published_next(const struct storm *storm, const struct storm_case *cs,
                                           uint32_t *at)
{
    if (!storm->published_bench || !cs->published)
        return NULL;
    while (*at < published_nr_rows) {
        const struct published_row *row = &published_rows[(*at)++];

        if (strcmp(row->bench, storm->published_bench) == 0 &&
            is_variant_of(storm, cs, row->variant) && param_list_has(cs->published, row->case_name))
            return row;
    }
    return NULL;
}
