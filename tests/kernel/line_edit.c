/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are typed, and the rows that a pager counts. */
#include "core/console.h"
#include "core/line_edit.h"
#include "core/pager.h"
#include "core/selftest.h"
#include "core/string.h"

static char echoed[64];
static size_t nr_echoed;

static void echo(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes && nr_echoed + 1 < sizeof(echoed); i++)
        echoed[nr_echoed++] = text[i];
    echoed[nr_echoed] = '\0';
}

static struct line_edit line;

/* Types; returns the event of the last key. */
static enum line_event type(const char *keys)
{
    enum line_event event = LINE_GOES_ON;

    while (*keys)
        event = line_edit_key(&line, *keys++);
    return event;
}

static void begin(void)
{
    memset(&line, 0, sizeof(line));
    line_edit_begin(&line, echo);
    nr_echoed = 0;
}

static void edits(struct ktest *t)
{
    begin();
    EXPECT_EQ(t, type("hekp\b\x7flp\r"), LINE_DONE);
    EXPECT(t, !strcmp(line.text, "help"));
    EXPECT(t, !strcmp(echoed, "hekp\b \b\b \blp\n"));
    begin();
    EXPECT_EQ(t, type("\b\bab\x15\x15 c\n"), LINE_DONE);
    EXPECT(t, !strcmp(line.text, " c"));
    begin();
    EXPECT_EQ(t, type("reboot\x03"), LINE_GIVEN_UP);
}
KTEST(line_edit, edits, KTEST_QUICK);

static void passes_over_other_keys(struct ktest *t)
{
    begin();
    EXPECT_EQ(t, type("a\x1b[A\x1b[15~\x1bOP\x01\tb\x1bxc\xe4"), LINE_GOES_ON);
    EXPECT_EQ(t, line_edit_key(&line, CONSOLE_KEY_UP), LINE_GOES_ON);
    EXPECT_EQ(t, line_edit_key(&line, -1), LINE_GOES_ON);
    EXPECT_EQ(t, type("\r"), LINE_DONE);
    EXPECT(t, !strcmp(line.text, "abc"));
    line_edit_begin(&line, echo);
    EXPECT_EQ(t, type("\n"), LINE_GOES_ON); /* the other half of CR LF */
    EXPECT_EQ(t, type("\n"), LINE_DONE);
}
KTEST(line_edit, passes_over_other_keys, KTEST_QUICK);

static void full_line_takes_no_more(struct ktest *t)
{
    begin();
    for (unsigned i = 0; i < 2 * LINE_EDIT_BYTES; i++)
        line_edit_key(&line, 'x');
    EXPECT_EQ(t, line.used, LINE_EDIT_BYTES - 1);
    EXPECT_EQ(t, strlen(line.text), LINE_EDIT_BYTES - 1);
    EXPECT_EQ(t, type("\r"), LINE_DONE);
}
KTEST(line_edit, full_line_takes_no_more, KTEST_QUICK);

static void rows_are_counted_as_they_wrap(struct ktest *t)
{
    static const char text[] = "123456789\n\n1234567890\nabc";

    EXPECT_EQ(t, pager_rows("", 0, 10), 0);
    EXPECT_EQ(t, pager_rows(text, 9, 10), 1);
    EXPECT_EQ(t, pager_rows(text, 10, 10), 1);
    EXPECT_EQ(t, pager_rows(text, 11, 10), 2);
    EXPECT_EQ(t, pager_rows(text, sizeof(text) - 1, 10), 5);
    EXPECT_EQ(t, pager_row_at(text, sizeof(text) - 1, 10, 2), 11);
    EXPECT_EQ(t, pager_row_at(text, sizeof(text) - 1, 10, 3), 20);
    EXPECT_EQ(t, pager_row_at(text, sizeof(text) - 1, 10, 4), 22);
    EXPECT_EQ(t, pager_row_at(text, sizeof(text) - 1, 10, 99), sizeof(text) - 1);
}
KTEST(pager, rows_are_counted_as_they_wrap, KTEST_QUICK);
