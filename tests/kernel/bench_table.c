/* SPDX-License-Identifier: Apache-2.0 */
/* What the report's numbers look like: cells of the table, names and values of benchmark lines. */
#include "bench/golines.h"
#include "bench/published.h"
#include "bench/schedule.h"
#include "bench/table.h"
#include "core/selftest.h"
#include "core/string.h"

static void expect_text(struct ktest *t, const char *got, const char *want)
{
    ktest_check(t, strcmp(got, want) == 0, __FILE__, __LINE__, "\"%s\", expected \"%s\"", got,
                want);
}

static void times_have_four_digits(struct ktest *t)
{
    static const struct {
        uint64_t ps;
        const char *text;
    } cases[] = {
        {312, "0.312"},          {12340, "12.34"},          {99999, "100.00"},
        {123400, "123.4"},       {1234000, "1234"},         {99999999, "100000"},
        {100000000, "100.0k"},   {874000000, "874.0k"},     {1004000000, "1.004M"},
        {69171000000, "69.17M"}, {1500000000000, "1.500G"},
    };
    char text[TABLE_TIME_BYTES];

    for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
        expect_text(t, table_time_text(text, cases[i].ps), cases[i].text);
}
KTEST(bench_table, times_have_four_digits, KTEST_QUICK);

static void changes_say_more_or_less(struct ktest *t)
{
    char text[TABLE_CHANGE_BYTES];

    expect_text(t, table_change_text(text, 360, 1000), "-64");
    expect_text(t, table_change_text(text, 1012, 1000), "+1.2");
    expect_text(t, table_change_text(text, 1000, 1000), "+0.0");
    expect_text(t, table_change_text(text, 2500, 1000), "+150");
    expect_text(t, table_change_text(text, 12300, 1000), "x12.3");
    expect_text(t, table_change_text(text, 4, 1000), "-100");
    expect_text(t, table_change_text(text, 5, 0), "");
}
KTEST(bench_table, changes_say_more_or_less, KTEST_QUICK);

static void cells_carry_their_marks(struct ktest *t)
{
    struct cell base = {
        .stats = {
            .count = 11, .median = 1000000, .has_interval = true, .low = 990000, .high = 1010000}};
    struct cell cell = {.stats = {.count = 11,
                                  .median = 360000,
                                  .error_permyriad = 123,
                                  .has_interval = true,
                                  .low = 350000,
                                  .high = 370000}};
    char text[TABLE_CELL_BYTES];

    expect_text(t, table_cell_text(text, &base, NULL), "1000+-0.0");
    expect_text(t, table_cell_text(text, &cell, &base), "360.0+-1.2 -64*");
    cell.stats.high = 1000000;
    cell.stats.count = 3;
    cell.gaps = 2;
    expect_text(t, table_cell_text(text, &cell, &base), "360.0+-1.2 -64~!");
    cell.gaps = 0;
    cell.is_crowd = true;
    expect_text(t, table_cell_text(text, &cell, &base), "360.0+-1.2 -64~c");
    cell.absent = "its self-test failed";
    expect_text(t, table_cell_text(text, &cell, &base), "-");
}
KTEST(bench_table, cells_carry_their_marks, KTEST_QUICK);

static void benchmark_names(struct ktest *t)
{
    static const struct storm storm = {.name = "update", .design = "tree"}, plain = {.name = "x"};
    static const struct storm_case cs = {.name = "obj=mm/inc=pm32"}, only = {.name = ""};
    char name[GOLINES_NAME_BYTES], text[NS_TEXT_BYTES];

    golines_name(name, &storm, &cs, 384);
    expect_text(t, name, "BenchmarkUpdate/design=tree/obj=mm/inc=pm32-384");
    golines_name(name, &plain, &only, 1);
    expect_text(t, name, "BenchmarkX-1");
    expect_text(t, golines_ns_text(text, 812400), "812.40");
    expect_text(t, golines_ns_text(text, 312), "0.312");
    expect_text(t, golines_ns_text(text, 874000000), "874000");
}
KTEST(bench_table, benchmark_names, KTEST_QUICK);

static void published_figures_are_found(struct ktest *t)
{
    static const struct storm storm = {.name = "update",
                                       .design = "tree",
                                       .published_bench = "update",
                                       .published_variant = "tree"};
    static const struct storm listed = {.name = "exec",
                                        .design = "flat",
                                        .published_bench = "exec",
                                        .published_variant = "flat-single=single,flat=grouped"};
    static const struct storm_case cs = {.name = "", .published = "mm+1,no such"};
    static const struct storm_case exec = {.name = "", .published = "separate static binaries"};
    const struct published_row *row;
    uint32_t at = 0;

    row = published_next(&storm, &cs, &at);
    if (EXPECT(t, row != NULL)) {
        expect_text(t, row->value, "26");
        EXPECT_EQ(t, row->cpus, 384);
    }
    EXPECT(t, published_next(&storm, &cs, &at) == NULL);
    at = 0;
    row = published_next(&listed, &exec, &at);
    if (EXPECT(t, row != NULL))
        expect_text(t, row->value, "186061.81");
    EXPECT(t, published_next(&listed, &exec, &at) == NULL);
}
KTEST(bench_table, published_figures_are_found, KTEST_QUICK);

static void published_rates_become_times(struct ktest *t)
{
    static const struct published_row rate = {.cpus = 26, .unit = "ops/s", .value = "133543.63"};
    static const struct published_row time = {.cpus = 384, .unit = "ns/op", .value = "26"};
    static const struct published_row range = {.cpus = 4, .unit = "ops/s", .value = "5300-6500"};
    static const struct published_row bytes = {.cpus = 16, .unit = "B", .value = "320"};
    char text[PUBLISHED_TEXT_BYTES];

    expect_text(t, published_text(text, &rate, "ns/op of each CPU"), "194.7k");
    expect_text(t, published_text(text, &time, "ns/op of each CPU"), "26");
    expect_text(t, published_text(text, &range, "ns/op of each CPU"), "5300-6500 ops/s");
    expect_text(t, published_text(text, &bytes, "B/mm"), "320");
    expect_text(t, published_text(text, &bytes, "Bytes"), "320 B");
    EXPECT(t, published_is_rate(&rate) && !published_is_rate(&time));
}
KTEST(bench_table, published_rates_become_times, KTEST_QUICK);

static void shuffles_are_orders_and_repeat(struct ktest *t)
{
    struct random random, again;
    uint32_t order[7], second[7], seen[7] = {0};
    bool moved = false;

    random_seed(&random, 5);
    random_seed(&again, 5);
    for (unsigned round = 0; round < 10; round++) {
        schedule_shuffle(order, 7, &random);
        schedule_shuffle(second, 7, &again);
        for (unsigned i = 0; i < 7; i++) {
            EXPECT_EQ(t, order[i], second[i]);
            seen[order[i]]++;
            moved |= order[i] != i;
        }
    }
    for (unsigned i = 0; i < 7; i++)
        EXPECT_EQ(t, seen[i], 10);
    EXPECT(t, moved);
}
KTEST(bench_table, shuffles_are_orders_and_repeat, KTEST_QUICK);
