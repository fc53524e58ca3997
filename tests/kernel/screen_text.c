/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of characters: wrapped, scrolled, and drawn only where they changed. */
#include "core/selftest.h"
#include "core/string.h"
#include "drivers/screen_text.h"

#define COLUMNS 10u
#define ROWS 4u

static uint8_t cells[2 * COLUMNS * ROWS], pixels[COLUMNS * 8 * ROWS * 64 * 2];

static struct screen_text begin(void)
{
    struct screen_text s;

    memset(cells, 0, sizeof(cells));
    screen_text_init(&s, COLUMNS, ROWS, cells);
    return s;
}

static void put(struct screen_text *s, const char *text)
{
    screen_text_put(s, text, strlen(text));
}

static bool row_is(const struct screen_text *s, uint32_t row, const char *text)
{
    const uint8_t *at = s->wanted + (s->top + row) % s->rows * s->columns;

    for (uint32_t i = 0; i < s->columns; i++) {
        char c = *text ? *text++ : ' ';

        if ((at[i] ? at[i] : ' ') != c)
            return false;
    }
    return !*text;
}

static void long_lines_go_on(struct ktest *t)
{
    struct screen_text s = begin();

    put(&s, "123456789abc\n123456789\n");
    EXPECT(t, row_is(&s, 0, "123456789\\"));
    EXPECT(t, row_is(&s, 1, "abc"));
    EXPECT(t, row_is(&s, 2, "123456789"));
    EXPECT_EQ(t, s.row, 3);
    EXPECT_EQ(t, s.column, 0);
}
KTEST(screen, long_lines_go_on, KTEST_QUICK);

static void scrolls_at_the_end(struct ktest *t)
{
    struct screen_text s = begin();

    put(&s, "1\n2\n3\n4\n5\n123456789x");
    EXPECT(t, row_is(&s, 0, "4"));
    EXPECT(t, row_is(&s, 1, "5"));
    EXPECT(t, row_is(&s, 2, "123456789\\"));
    EXPECT(t, row_is(&s, 3, "x"));
}
KTEST(screen, scrolls_at_the_end, KTEST_QUICK);

static void control_characters(struct ktest *t)
{
    struct screen_text s = begin();

    put(&s, "\b\babc\b\bx\rz\t\x80");
    EXPECT(t, row_is(&s, 0, "z??"));
    put(&s, "\f\x0eI \x0fn");
    EXPECT_EQ(t, s.row, 0);
    EXPECT_EQ(t, s.wanted[0], 'I' | 0x80);
    EXPECT_EQ(t, s.wanted[1], ' ' | 0x80);
    EXPECT_EQ(t, s.wanted[2], 'n');
    EXPECT_EQ(t, s.wanted[3], 0);
}
KTEST(screen, control_characters, KTEST_QUICK);

static void only_changes_are_drawn(struct ktest *t)
{
    struct boot_framebuffer fb = {.phys = 1,
                                  .pitch_bytes = COLUMNS * 8 * 2,
                                  .width_pixels = COLUMNS * 8,
                                  .height_pixels = ROWS * 16,
                                  .bits_per_pixel = 16,
                                  .red_shift = 11,
                                  .green_shift = 5};
    struct screen_text s = begin();
    struct canvas canvas;
    const char *why;

    EXPECT_EQ(t, canvas_init(&canvas, &fb, &why), 0);
    canvas.pixels = pixels;
    EXPECT_EQ(t, screen_text_draw(&s, &canvas), 0);
    put(&s, "ab cd\nx");
    EXPECT_EQ(t, screen_text_draw(&s, &canvas), 5);
    EXPECT_EQ(t, screen_text_draw(&s, &canvas), 0);
    put(&s, "\fab  d\nx");
    EXPECT_EQ(t, screen_text_draw(&s, &canvas), 1);
    put(&s, "\n\n\n"); /* one row up: "x" in place of "ab  d", and nothing where "x" was */
    EXPECT_EQ(t, screen_text_draw(&s, &canvas), 4);
}
KTEST(screen, only_changes_are_drawn, KTEST_QUICK);
