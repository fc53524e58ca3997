/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen as rows of characters, in memory: what it should show, and what it shows already.
 *
 *   put ──> wanted (a ring of rows, so that scrolling moves nothing) ──draw──> shown, canvas
 *
 * A line that is longer than columns - 1 goes on in the next row; the last column says so with a
 * backslash and is otherwise blank, so that a reader can put the lines together again.
 *
 *   LF next line   CR first column   BS one column back   FF cleared   SO, SI inverse on, off
 *
 * S1. A cell is drawn only where it differs from what is shown: the canvas is never read.
 */
#ifndef DRIVERS_SCREEN_TEXT_H
#define DRIVERS_SCREEN_TEXT_H

#include "drivers/framebuffer_draw.h"

struct screen_text {
    uint32_t columns, rows;
    uint32_t column, row; /* where the next character goes */
    uint32_t top;         /* the ring's row that is shown first */
    bool inverse;
    uint8_t *wanted, *shown; /* rows × columns; the top bit is inverse; 0 is blank */
};

/* Bytes of memory for a screen of this size; zeroed memory is a blank screen. */
static inline size_t screen_text_bytes(uint32_t columns, uint32_t rows)
{
    return 2 * (size_t)columns * rows;
}
void screen_text_init(struct screen_text *s, uint32_t columns, uint32_t rows, void *zeroed);
void screen_text_put(struct screen_text *s, const char *text, size_t bytes);
/* Returns the number of cells drawn. */
size_t screen_text_draw(struct screen_text *s, const struct canvas *canvas);

#endif
