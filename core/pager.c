/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of text on a screen. See core/pager.h. The last row of the screen says where one is. */
#include "core/pager.h"

#include "core/format.h"
#include "core/param.h"
#include "core/report_store.h"
#include "core/string.h"

#define STATUS_BYTES 128u
#define MS 1000u
#define KEY_ESCAPE 27
#define KEY_CTRL_C 3

static int64_t hold_s = 3600, turn_page_s = 10;

PARAM_NUMBER(hold, "hold", hold_s, 0, 86400, "seconds",
             "how long the report stays at the end on a screen that is its only way out");
PARAM_NUMBER(turn, "hold.page", turn_page_s, 1, 3600, "seconds",
             "how long each page of it is shown, when no key turns them");

struct pager {
    struct console *screen;
    const char *text;
    size_t bytes, rows, page_rows, top;
};

/* The end of the row that begins at `at`, and where the next one begins. */
static size_t row_end(const char *text, size_t bytes, size_t width, size_t at, size_t *next)
{
    size_t end = at;

    while (end < bytes && end - at < width && text[end] != '\n')
        end++;
    *next = end + (end < bytes && text[end] == '\n');
    return end;
}

size_t pager_row_at(const char *text, size_t bytes, uint32_t columns, size_t row)
{
    size_t at = 0;

    while (row-- && at < bytes)
        row_end(text, bytes, columns - 1, at, &at);
    return at;
}

size_t pager_rows(const char *text, size_t bytes, uint32_t columns)
{
    size_t rows = 0;

    for (size_t at = 0; at < bytes; rows++)
        row_end(text, bytes, columns - 1, at, &at);
    return rows;
}

static void put_status(const struct pager *p)
{
    char status[STATUS_BYTES];
    size_t last = MIN(p->top + p->page_rows, p->rows);

    format_text(status, MIN(sizeof(status), (size_t)p->screen->columns),
                "\x0e rows %zu-%zu of %zu    space: on    b: back    g, G: ends    q: leave \x0f",
                MIN(p->top + 1, p->rows), last, p->rows);
    console_show_on(p->screen, status, strlen(status));
    console_show_on(p->screen, "\x0f", 1);
}

/* The screen wraps what is written as the rows are counted. A row that goes on behind the page gets
 * its mark by one more character, which the status then writes over. */
static void put_page(const struct pager *p)
{
    uint32_t columns = p->screen->columns;
    size_t from = pager_row_at(p->text, p->bytes, columns, p->top);
    size_t to = from, shown = 0;

    console_show_on(p->screen, "\f", 1);
    for (; shown < p->page_rows && to < p->bytes; shown++)
        row_end(p->text, p->bytes, columns - 1, to, &to);
    if (to > from && to < p->bytes && p->text[to - 1] != '\n')
        to++;
    console_show_on(p->screen, p->text + from, to - from);
    for (; shown < p->page_rows; shown++)
        console_show_on(p->screen, "\n", 1);
    console_show_on(p->screen, "\r", 1);
    put_status(p);
}

static size_t last_top(const struct pager *p)
{
    return p->rows > p->page_rows ? p->rows - p->page_rows : 0;
}

static void go(struct pager *p, int64_t rows)
{
    int64_t top = (int64_t)p->top + rows;

    p->top = (size_t)MAX(MIN(top, (int64_t)last_top(p)), 0);
}

/* False: leave. */
static bool take_key(struct pager *p, int key)
{
    int64_t page = (int64_t)p->page_rows, all = (int64_t)p->rows;

    switch (key) {
    case 'q':
    case KEY_ESCAPE:
    case KEY_CTRL_C:
        return false;
    case ' ':
    case 'f':
    case CONSOLE_KEY_PAGE_DOWN:
        go(p, page);
        break;
    case 'b':
    case CONSOLE_KEY_PAGE_UP:
        go(p, -page);
        break;
    case 'j':
    case '\r':
    case '\n':
    case CONSOLE_KEY_DOWN:
        go(p, 1);
        break;
    case 'k':
    case CONSOLE_KEY_UP:
        go(p, -1);
        break;
    case 'g':
    case CONSOLE_KEY_HOME:
        go(p, -all);
        break;
    case 'G':
    case CONSOLE_KEY_END:
        go(p, all);
        break;
    default:
        break;
    }
    return true;
}

static void turn_page(struct pager *p)
{
    if (p->top >= last_top(p))
        p->top = 0;
    else
        go(p, (int64_t)p->page_rows);
}

void pager_show(struct console *screen, const char *text, size_t bytes, bool at_end,
                uint32_t idle_s, uint32_t turn_s)
{
    struct pager p = {.screen = screen, .text = text, .bytes = bytes};
    uint64_t wait_s = turn_s ? MIN(turn_s, idle_s) : idle_s, left_s = idle_s;
    bool stays = true;

    p.rows = pager_rows(text, bytes, screen->columns);
    p.page_rows = screen->rows - 1;
    p.top = at_end ? last_top(&p) : 0;
    while (stays && left_s) {
        int key;

        put_page(&p);
        key = console_wait_key(NULL, wait_s * MS);
        if (key >= 0) {
            stays = take_key(&p, key);
            left_s = wait_s = idle_s; /* somebody is there, and turns the pages */
            continue;
        }
        left_s -= MIN(left_s, wait_s);
        if (turn_s)
            turn_page(&p);
    }
    console_show_on(screen, "\f", 1);
}

void pager_hold(void)
{
    struct console *screen = console_best(CONSOLE_SCREEN);
    const char *text;
    size_t bytes;

    text = report_store_text(&bytes);
    if (!screen || console_is_heard() || !bytes || screen->rows < 2 || !hold_s)
        return;
    console_open_keyboards();
    pager_show(screen, text, bytes, true, (uint32_t)hold_s, (uint32_t)turn_page_s);
}
