/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters as pixels. See drivers/framebuffer_draw.h.
 *
 * Pixels are little endian numbers of 15 to 32 bits (UEFI 2.10, 12.9; multiboot2 2.0, 3.6.12). The
 * boot path gives the place of each colour; its size is what lies below the next one, 8 bits at
 * most: white is all bits of all three.
 */
#include "drivers/framebuffer_draw.h"

#include "core/errno.h"
#include "core/string.h"
#include "drivers/font.h"

#define COLOUR_BITS_MAX 8u
#define COLUMNS_MIN 2u /* a character, and whether its line goes on */
/* The largest letters with which the screen still has so many columns (a line of the report and the
 * column that says that it goes on) and rows. */
#define COLUMNS_WANTED 101u
#define ROWS_WANTED 45u

static uint32_t colour_mask(const struct boot_framebuffer *fb, uint8_t shift)
{
    const uint8_t others[] = {fb->red_shift, fb->green_shift, fb->blue_shift, fb->bits_per_pixel};
    uint32_t bits = COLOUR_BITS_MAX;

    for (unsigned i = 0; i < ARRAY_LEN(others); i++)
        if (others[i] > shift && (uint32_t)(others[i] - shift) < bits)
            bits = others[i] - shift;
    return ((1u << bits) - 1) << shift;
}

static uint32_t scale_for(uint32_t width, uint32_t height)
{
    uint32_t scale = CANVAS_SCALE_MAX;

    while (scale > 1 && (width / (FONT_WIDTH * scale) < COLUMNS_WANTED ||
                         height / (font_height * scale) < ROWS_WANTED))
        scale--;
    return scale;
}

static const char *fault_of(const struct boot_framebuffer *fb)
{
    uint32_t pixel_bytes = (fb->bits_per_pixel + 7u) / 8;

    if (fb->bits_per_pixel < 15 || fb->bits_per_pixel > 32)
        return "15 to 32 bits a pixel are expected";
    if (fb->red_shift >= fb->bits_per_pixel || fb->green_shift >= fb->bits_per_pixel ||
        fb->blue_shift >= fb->bits_per_pixel)
        return "a colour lies outside of the pixel";
    if (fb->width_pixels < COLUMNS_MIN * FONT_WIDTH || fb->height_pixels < font_height ||
        fb->width_pixels > CANVAS_SIDE_MAX || fb->height_pixels > CANVAS_SIDE_MAX)
        return "too small or too large";
    if (fb->pitch_bytes < fb->width_pixels * pixel_bytes || fb->pitch_bytes > CANVAS_SIDE_MAX * 4)
        return "its lines are closer than they are long, or too far apart";
    return NULL;
}

int canvas_init(struct canvas *canvas, const struct boot_framebuffer *fb, const char **why)
{
    *why = fault_of(fb);
    if (*why)
        return -CS_EINVAL;
    *canvas = (struct canvas){
        .pitch_bytes = fb->pitch_bytes,
        .width = fb->width_pixels,
        .height = fb->height_pixels,
        .pixel_bytes = (fb->bits_per_pixel + 7u) / 8,
        .ink = colour_mask(fb, fb->red_shift) | colour_mask(fb, fb->green_shift) |
               colour_mask(fb, fb->blue_shift),
        .scale = scale_for(fb->width_pixels, fb->height_pixels),
    };
    canvas->columns = canvas->width / (FONT_WIDTH * canvas->scale);
    canvas->rows = canvas->height / (font_height * canvas->scale);
    return 0;
}

size_t canvas_bytes(const struct canvas *canvas)
{
    return (size_t)canvas->height * canvas->pitch_bytes;
}

/* One line of a glyph as pixels; returns the bytes. */
static size_t glyph_line(const struct canvas *canvas, uint8_t bits, uint8_t *to)
{
    uint8_t *at = to;

    for (unsigned x = 0; x < FONT_WIDTH; x++) {
        uint32_t pixel = bits & (0x80u >> x) ? canvas->ink : 0;

        for (uint32_t i = 0; i < canvas->scale; i++)
            for (uint32_t byte = 0; byte < canvas->pixel_bytes; byte++)
                *at++ = (uint8_t)(pixel >> 8 * byte);
    }
    return (size_t)(at - to);
}

void canvas_draw(const struct canvas *canvas, uint32_t column, uint32_t row, char c, bool inverse)
{
    uint8_t line[FONT_WIDTH * CANVAS_SCALE_MAX * 4];
    unsigned code = (uint8_t)c >= FONT_FIRST && (uint8_t)c <= FONT_LAST ? (uint8_t)c : '?';
    const uint8_t *glyph = &font_glyphs[(code - FONT_FIRST) * font_height];
    uint8_t *at = canvas->pixels + (size_t)row * font_height * canvas->scale * canvas->pitch_bytes +
                  (size_t)column * FONT_WIDTH * canvas->scale * canvas->pixel_bytes;

    for (unsigned y = 0; y < font_height; y++) {
        size_t bytes = glyph_line(canvas, (uint8_t)(inverse ? ~glyph[y] : glyph[y]), line);

        for (uint32_t i = 0; i < canvas->scale; i++, at += canvas->pitch_bytes)
            memcpy(at, line, bytes);
    }
}

void canvas_clear(const struct canvas *canvas)
{
    for (uint32_t y = 0; y < canvas->height; y++)
        memset(canvas->pixels + (size_t)y * canvas->pitch_bytes, 0,
               (size_t)canvas->width * canvas->pixel_bytes);
}
