/* SPDX-License-Identifier: Apache-2.0 */
/* The screen's font, made from a packaged one at build time (tools/font.py). */
#ifndef DRIVERS_FONT_H
#define DRIVERS_FONT_H

#include <stdint.h>

#define FONT_WIDTH 8u
#define FONT_FIRST 0x20u
#define FONT_LAST 0x7eu

extern const unsigned font_height; /* lines of a glyph */
/* font_height bytes a glyph, from FONT_FIRST on; the leftmost pixel is the highest bit. */
extern const uint8_t font_glyphs[];

#endif
