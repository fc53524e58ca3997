/* SPDX-License-Identifier: Apache-2.0 */
/* How a published figure is written in a table of another unit. See bench/published.h. */
#include "bench/published.h"
#include "bench/table.h"
#include "core/format.h"
#include "core/string.h"

#define MILLI_MAX (INT64_MAX / 10000)

/* "133543.63" × 1000; 0 for what is no plain number ("5300-6500"). */
static uint64_t milli_of(const char *text)
{
    uint64_t milli = 0;
    unsigned decimals = 0;
    bool point = false;

    for (; *text; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || milli > MILLI_MAX)
            return 0;
        if (decimals == 3)
            continue;
        milli = milli * 10 + (uint64_t)(*text - '0');
        decimals += point;
    }
    for (; decimals < 3; decimals++)
        milli *= 10;
    return milli;
}

bool published_is_rate(const struct published_row *row)
{
    return strcmp(row->unit, "ops/s") == 0 && milli_of(row->value);
}

/* CPUs × 10^12 ps/s × 1000 / milli-operations in a second */
static uint64_t ps_of_rate(const struct published_row *row)
{
    uint64_t milli = milli_of(row->value);

    return (row->cpus * 1000000000000000ull + milli / 2) / milli;
}

/* "ns/op" fits a table in "ns/op of each CPU", "B" one in "B/mm". */
static bool unit_fits(const char *unit, const char *table_unit)
{
    size_t bytes = strlen(unit);

    return strncmp(unit, table_unit, bytes) == 0 &&
           (!table_unit[bytes] || table_unit[bytes] == '/' || table_unit[bytes] == ' ');
}

char *published_text(char text[PUBLISHED_TEXT_BYTES], const struct published_row *row,
                     const char *table_unit)
{
    if (published_is_rate(row))
        return table_time_text(text, ps_of_rate(row));
    format_text(text, PUBLISHED_TEXT_BYTES, "%s%s%s", row->value,
                unit_fits(row->unit, table_unit) ? "" : " ",
                unit_fits(row->unit, table_unit) ? "" : row->unit);
    return text;
}
