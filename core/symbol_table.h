/* SPDX-License-Identifier: Apache-2.0 */
/* The table that tools/symbols.py makes of an image's functions. */
#ifndef CORE_SYMBOL_TABLE_H
#define CORE_SYMBOL_TABLE_H

#include <stdint.h>

/*
 * Function i covers [offsets[i], offsets[i + 1]), as distances from the function symbol_lookup, so
 * that the table needs no relocation; offsets has count + 1 members, ascending. Its name is the
 * string at names + name_at[i].
 */
struct symbol_table {
    uint32_t count;
    const int32_t *offsets;
    const uint32_t *name_at;
    const char *names;
};

/* Empty (weak) until the build's second link. */
extern const struct symbol_table symbol_table;

/* The function of `table` that holds `offset`, or -1. */
int64_t symbol_table_find(const struct symbol_table *table, int64_t offset);

#endif
