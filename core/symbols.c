/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions by binary search in the table that the build links in. Context: any, also a
 * panic: reads constant data only. */
#include "core/symbols.h"

#include "core/compiler.h"
#include "core/symbol_table.h"

int64_t symbol_table_find(const struct symbol_table *table, int64_t offset)
{
    uint32_t low = 0, high = table->count; /* offsets[low] <= offset < offsets[high] */

    if (!high || offset < table->offsets[low] || offset >= table->offsets[high])
        return -1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (offset < table->offsets[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

const char *symbol_lookup(uintptr_t pc, uintptr_t *offset)
{
    int64_t distance = (int64_t)(pc - (uintptr_t)&symbol_lookup);
    int64_t i = symbol_table_find(&symbol_table, distance);

    if (i < 0)
        return NULL;
    *offset = (uintptr_t)(distance - symbol_table.offsets[i]);
    return symbol_table.names + symbol_table.name_at[i];
}
