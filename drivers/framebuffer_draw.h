/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters as pixels, in a buffer of any size, pitch and depth. Pure: knows no device.
 *
 * F1. Nothing is written outside height × pitch bytes, and the buffer is never read.
 */
#ifndef DRIVERS_FRAMEBUFFER_DRAW_H
#define DRIVERS_FRAMEBUFFER_DRAW_H

#include "boot/handoff.h"
#include "core/compiler.h"

#define CANVAS_SIDE_MAX 32768u
#define CANVAS_SCALE_MAX 4u

struct canvas {
    uint8_t *pixels;
    uint32_t pitch_bytes, width, height;
    uint32_t pixel_bytes; /* 2, 3 or 4 */
    uint32_t ink;         /* white; paper is 0 */
    uint32_t scale;       /* pixels of the screen for each of the font's */
    uint32_t columns, rows;
};

/* Size, depth and the font's scale from the boot path's description; pixels stays NULL. 0, or
 * -CS_EINVAL where it describes no picture that can be drawn into: *why says what is wrong. */
int canvas_init(struct canvas *canvas, const struct boot_framebuffer *fb,
                const char **why) must_check;
size_t canvas_bytes(const struct canvas *canvas);

/* The character at a column and row, which the canvas has; what is no printable ASCII is drawn as
 * '?'. Cost: the cell's pixels, written in order. */
void canvas_draw(const struct canvas *canvas, uint32_t column, uint32_t row, char c, bool inverse);
void canvas_clear(const struct canvas *canvas);

#endif
