/* SPDX-License-Identifier: Apache-2.0 */
/* Characters drawn into made buffers of every depth and odd pitches, and read back. */
#include "core/selftest.h"
#include "core/string.h"
#include "drivers/font.h"
#include "drivers/framebuffer_draw.h"

#define WIDTH 37u /* four columns and a rest */
#define HEIGHT 40u
#define PITCH_MAX 160u
#define GUARD 0x5a

static uint8_t pixels[HEIGHT * PITCH_MAX + 64];

static const struct depth {
    uint8_t bits, red, green, blue;
    uint32_t pitch, ink;
} depths[] = {
    {32, 16, 8, 0, WIDTH * 4, 0xffffff},        {32, 0, 8, 16, WIDTH * 4 + 12, 0xffffff},
    {32, 24, 16, 8, WIDTH * 4 + 1, 0xffffff00}, {24, 16, 8, 0, WIDTH * 3, 0xffffff},
    {24, 0, 8, 16, WIDTH * 3 + 5, 0xffffff},    {16, 11, 5, 0, WIDTH * 2, 0xffff},
    {16, 0, 5, 11, WIDTH * 2 + 7, 0xffff},      {15, 10, 5, 0, WIDTH * 2 + 2, 0x7fff},
    {30, 20, 10, 0, WIDTH * 4, 0x0ff3fcff},
};

static struct boot_framebuffer made(const struct depth *d)
{
    return (struct boot_framebuffer){.phys = 1,
                                     .pitch_bytes = d->pitch,
                                     .width_pixels = WIDTH,
                                     .height_pixels = HEIGHT,
                                     .bits_per_pixel = d->bits,
                                     .red_shift = d->red,
                                     .green_shift = d->green,
                                     .blue_shift = d->blue};
}

static uint32_t pixel_at(const struct canvas *canvas, uint32_t x, uint32_t y)
{
    const uint8_t *at = pixels + y * canvas->pitch_bytes + x * canvas->pixel_bytes;
    uint32_t value = 0;

    for (uint32_t i = 0; i < canvas->pixel_bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

/* How many pixels of the cell are not as the glyph says. */
static unsigned wrong_pixels(const struct canvas *canvas, uint32_t column, uint32_t row, char c,
                             bool inverse)
{
    unsigned wrong = 0;

    for (uint32_t y = 0; y < font_height; y++)
        for (uint32_t x = 0; x < FONT_WIDTH; x++) {
            bool set = font_glyphs[((unsigned)c - FONT_FIRST) * font_height + y] & 0x80 >> x;

            wrong += pixel_at(canvas, column * FONT_WIDTH + x, row * font_height + y) !=
                     (set != inverse ? canvas->ink : 0);
        }
    return wrong;
}

/* Bytes that are not a pixel of a cell must be as they were. */
static unsigned guards_broken(const struct canvas *canvas)
{
    uint32_t used = canvas->columns * FONT_WIDTH * canvas->pixel_bytes;
    unsigned broken = 0;

    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = y < canvas->rows * font_height ? used : 0; x < canvas->pitch_bytes; x++)
            broken += pixels[y * canvas->pitch_bytes + x] != GUARD;
    for (size_t i = canvas_bytes(canvas); i < sizeof(pixels); i++)
        broken += pixels[i] != GUARD;
    return broken;
}

static void every_depth_and_pitch(struct ktest *t)
{
    for (unsigned i = 0; i < ARRAY_LEN(depths); i++) {
        struct boot_framebuffer fb = made(&depths[i]);
        struct canvas canvas;
        const char *why;

        memset(pixels, GUARD, sizeof(pixels));
        if (!EXPECT_EQ(t, canvas_init(&canvas, &fb, &why), 0))
            continue;
        canvas.pixels = pixels;
        EXPECT_EQ(t, canvas.ink, depths[i].ink);
        EXPECT_EQ(t, canvas.columns, 4);
        EXPECT_EQ(t, canvas.rows, 2);
        for (uint32_t cell = 0; cell < 8; cell++)
            canvas_draw(&canvas, cell % 4, cell / 4, "Report#~"[cell], cell % 2);
        for (uint32_t cell = 0; cell < 8; cell++)
            EXPECT_EQ(t, wrong_pixels(&canvas, cell % 4, cell / 4, "Report#~"[cell], cell % 2), 0);
        EXPECT_EQ(t, guards_broken(&canvas), 0);
    }
}
KTEST(framebuffer, every_depth_and_pitch, KTEST_QUICK);

static void clearing_keeps_what_lies_between_lines(struct ktest *t)
{
    struct boot_framebuffer fb = made(&depths[4]);
    struct canvas canvas;
    const char *why;
    unsigned wrong = 0;

    memset(pixels, GUARD, sizeof(pixels));
    EXPECT_EQ(t, canvas_init(&canvas, &fb, &why), 0);
    canvas.pixels = pixels;
    canvas_clear(&canvas);
    for (uint32_t i = 0; i < sizeof(pixels); i++) {
        bool is_pixel = i < canvas_bytes(&canvas) && i % canvas.pitch_bytes < WIDTH * 3;

        wrong += pixels[i] != (is_pixel ? 0 : GUARD);
    }
    EXPECT_EQ(t, wrong, 0);
}
KTEST(framebuffer, clearing_keeps_what_lies_between_lines, KTEST_QUICK);

static void what_is_no_picture_is_refused(struct ktest *t)
{
    const struct boot_framebuffer good = made(&depths[0]);
    struct boot_framebuffer bad[9];
    struct canvas canvas;
    const char *why;

    for (unsigned i = 0; i < ARRAY_LEN(bad); i++)
        bad[i] = good;
    bad[0].bits_per_pixel = 8;
    bad[1].bits_per_pixel = 64;
    bad[2].pitch_bytes = WIDTH * 4 - 1;
    bad[3].width_pixels = 0;
    bad[4].height_pixels = UINT32_MAX;
    bad[5].width_pixels = 0x40000001; /* × 4 wraps to 4 */
    bad[6].red_shift = 32;
    bad[7].pitch_bytes = UINT32_MAX;
    bad[8].width_pixels = 15; /* one column has no room for a character */
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
        EXPECT(t, canvas_init(&canvas, &bad[i], &why) != 0);
        EXPECT(t, why);
    }
    EXPECT_EQ(t, canvas_init(&canvas, &good, &why), 0);
}
KTEST(framebuffer, what_is_no_picture_is_refused, KTEST_QUICK);

static void letters_grow_with_the_screen(struct ktest *t)
{
    static const struct {
        uint32_t width, height, scale, columns;
    } sizes[] = {{640, 480, 1, 80},    {800, 600, 1, 100},   {1024, 768, 1, 128},
                 {1920, 1080, 1, 240}, {2560, 1440, 2, 160}, {3840, 2160, 3, 160},
                 {7680, 4320, 4, 240}};

    for (unsigned i = 0; i < ARRAY_LEN(sizes); i++) {
        struct boot_framebuffer fb = made(&depths[0]);
        struct canvas canvas;
        const char *why;

        fb.width_pixels = sizes[i].width;
        fb.height_pixels = sizes[i].height;
        fb.pitch_bytes = fb.width_pixels * 4;
        EXPECT_EQ(t, canvas_init(&canvas, &fb, &why), 0);
        EXPECT_EQ(t, canvas.scale, sizes[i].scale);
        EXPECT_EQ(t, canvas.columns, sizes[i].columns);
    }
}
KTEST(framebuffer, letters_grow_with_the_screen, KTEST_QUICK);
