/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions: the search, and the image's own table where it has one. */
#include "core/selftest.h"
#include "core/string.h"
#include "core/symbol_table.h"
#include "core/symbols.h"

static const int32_t offsets[] = {-100, -50, 0, 7, 300};
static const uint32_t name_at[] = {0, 2, 4, 6};
static const struct symbol_table made = {4, offsets, name_at, "a\0b\0c\0d"};

static void search_finds_the_holder(struct ktest *t)
{
    static const struct {
        int64_t offset, index;
    } want[] = {{INT64_MIN, -1}, {-101, -1}, {-100, 0}, {-51, 0}, {-50, 1},  {-1, 1},
                {0, 2},          {6, 2},     {7, 3},    {299, 3}, {300, -1}, {INT64_MAX, -1}};
    static const struct symbol_table empty = {.count = 0};

    for (unsigned i = 0; i < ARRAY_LEN(want); i++)
        EXPECT_EQ(t, symbol_table_find(&made, want[i].offset), want[i].index);
    EXPECT_EQ(t, symbol_table_find(&empty, 0), -1);
}
KTEST(symbols, search_finds_the_holder, KTEST_QUICK);

static void image_knows_its_functions(struct ktest *t)
{
    uintptr_t offset = 0;
    const char *name;

    if (!symbol_table.count) {
        ktest_skip(t, "this image was linked without a symbol table");
        return;
    }
    name = symbol_lookup((uintptr_t)&symbol_lookup + 1, &offset);
    EXPECT(t, name && !strcmp(name, "symbol_lookup") && offset == 1);
    name = symbol_lookup((uintptr_t)&symbol_table_find, &offset);
    EXPECT(t, name && !strcmp(name, "symbol_table_find") && offset == 0);
    EXPECT(t, !symbol_lookup(1, &offset));
    EXPECT(t, !symbol_lookup((uintptr_t)&symbol_table, &offset));
}
KTEST(symbols, image_knows_its_functions, KTEST_QUICK);

static void image_table_ascends(struct ktest *t)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < symbol_table.count; i++)
        wrong += symbol_table.offsets[i] >= symbol_table.offsets[i + 1];
    EXPECT_EQ(t, wrong, 0);
}
KTEST(symbols, image_table_ascends, KTEST_QUICK);
