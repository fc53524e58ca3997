/* SPDX-License-Identifier: Apache-2.0 */
/* One line, typed. See core/line_edit.h. */
#include "core/line_edit.h"

#include "core/string.h"

enum {
    KEY_CTRL_C = 3,
    KEY_BACKSPACE = 8,
    KEY_LF = 10,
    KEY_CR = 13,
    KEY_CTRL_U = 21,
    KEY_ESCAPE = 27,
    KEY_DELETE = 127,
};

void line_edit_begin(struct line_edit *line, void (*echo)(const char *text, size_t bytes))
{
    bool after_cr = line->after_cr;

    *line = (struct line_edit){.echo = echo, .after_cr = after_cr};
}

static void echo(struct line_edit *line, const char *text)
{
    line->echo(text, strlen(text));
}

static void erase(struct line_edit *line, size_t count)
{
    for (; count && line->used; count--) {
        line->text[--line->used] = '\0';
        echo(line, "\b \b");
    }
}

static void insert(struct line_edit *line, char c)
{
    if (line->used + 1 >= LINE_EDIT_BYTES) {
        echo(line, "\a");
        return;
    }
    line->text[line->used++] = c;
    line->text[line->used] = '\0';
    line->echo(&c, 1);
}

/* ESC [ parameters letter, or ESC O letter (ECMA-48, 5.4). True while the key is part of one. */
static bool is_in_sequence(struct line_edit *line, int key)
{
    switch (line->escape) {
    case LINE_ESCAPE:
        line->escape = key == '[' || key == 'O' ? LINE_SEQUENCE : LINE_PLAIN;
        return true;
    case LINE_SEQUENCE:
        if (key >= '@' && key <= '~')
            line->escape = LINE_PLAIN;
        return true;
    default:
        if (key == KEY_ESCAPE)
            line->escape = LINE_ESCAPE;
        return key == KEY_ESCAPE;
    }
}

static enum line_event end(struct line_edit *line, enum line_event event)
{
    echo(line, event == LINE_DONE ? "\n" : "^C\n");
    return event;
}

enum line_event line_edit_key(struct line_edit *line, int key)
{
    bool same_key = key == KEY_LF && line->after_cr;

    line->after_cr = key == KEY_CR;
    if (same_key || key < 0 || key > KEY_DELETE || is_in_sequence(line, key))
        return LINE_GOES_ON;
    switch (key) {
    case KEY_CR:
    case KEY_LF:
        return end(line, LINE_DONE);
    case KEY_CTRL_C:
        return end(line, LINE_GIVEN_UP);
    case KEY_CTRL_U:
        erase(line, line->used);
        break;
    case KEY_BACKSPACE:
    case KEY_DELETE:
        erase(line, 1);
        break;
    default:
        if (key >= ' ')
            insert(line, (char)key);
    }
    return LINE_GOES_ON;
}
