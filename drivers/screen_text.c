/* SPDX-License-Identifier: Apache-2.0 */
/* The screen as rows of characters. See drivers/screen_text.h. */
#include "drivers/screen_text.h"

#include "core/string.h"

#define CELL_INVERSE 0x80u
#define CELL_BLANK 0u
#define GOES_ON '\\'

enum { CHAR_INVERSE = 0x0e, CHAR_NORMAL = 0x0f };

void screen_text_init(struct screen_text *s, uint32_t columns, uint32_t rows, void *zeroed)
{
    *s = (struct screen_text){.columns = columns, .rows = rows};
    s->wanted = zeroed;
    s->shown = s->wanted + (size_t)columns * rows;
}

static uint8_t *wanted_row(const struct screen_text *s, uint32_t row)
{
    return s->wanted + (size_t)((s->top + row) % s->rows) * s->columns;
}

static void next_row(struct screen_text *s)
{
    s->column = 0;
    if (s->row + 1 < s->rows) {
        s->row++;
        return;
    }
    s->top = (s->top + 1) % s->rows;
    memset(wanted_row(s, s->row), CELL_BLANK, s->columns);
}

static void clear(struct screen_text *s)
{
    memset(s->wanted, CELL_BLANK, (size_t)s->columns * s->rows);
    s->column = s->row = s->top = 0;
}

static void put_char(struct screen_text *s, char c)
{
    uint8_t cell = (uint8_t)c;

    if (cell == ' ' && !s->inverse)
        cell = CELL_BLANK;
    else if (cell < ' ' || cell > '~')
        cell = '?';
    if (s->column + 1 >= s->columns) {
        wanted_row(s, s->row)[s->columns - 1] = GOES_ON;
        next_row(s);
    }
    wanted_row(s, s->row)[s->column++] = cell | (s->inverse ? CELL_INVERSE : 0);
}

static void put_one(struct screen_text *s, char c)
{
    switch (c) {
    case '\n':
        next_row(s);
        break;
    case '\r':
        s->column = 0;
        break;
    case '\b':
        s->column -= s->column > 0;
        break;
    case '\f':
        clear(s);
        break;
    case CHAR_INVERSE:
    case CHAR_NORMAL:
        s->inverse = c == CHAR_INVERSE;
        break;
    default:
        put_char(s, c);
    }
}

void screen_text_put(struct screen_text *s, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        put_one(s, text[i]);
}

static size_t draw_row(struct screen_text *s, uint32_t row, const struct canvas *canvas)
{
    const uint8_t *wanted = wanted_row(s, row);
    uint8_t *shown = s->shown + (size_t)row * s->columns;
    size_t drawn = 0;

    for (uint32_t column = 0; column < s->columns; column++) {
        uint8_t cell = wanted[column];
        char c = (char)(cell & ~CELL_INVERSE);

        if (cell == shown[column])
            continue;
        canvas_draw(canvas, column, row, c ? c : ' ', cell & CELL_INVERSE);
        shown[column] = cell;
        drawn++;
    }
    return drawn;
}

size_t screen_text_draw(struct screen_text *s, const struct canvas *canvas)
{
    size_t drawn = 0;

    for (uint32_t row = 0; row < s->rows; row++)
        drawn += draw_row(s, row, canvas);
    return drawn;
}
