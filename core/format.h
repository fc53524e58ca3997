/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf into a buffer: %d %i %u %x %X %p %s %c %% with flags - 0 + space #, width, .precision
 * (also *), and lengths hh h l ll z t j. No floating point: fractions are printed from integers
 * with format_milli(). Always terminates; returns the length that the whole text has (C11
 * snprintf). Context: any. Never allocates.
 */
#ifndef CORE_FORMAT_H
#define CORE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/compiler.h"

size_t format_text(char *text, size_t bytes, const char *format, ...) printf_like(3, 4);
size_t format_text_v(char *text, size_t bytes, const char *format, va_list args) printf_like(3, 0);

/* value/1000 with as many decimals (0–3) as `decimals`, rounded half away from zero: 12345, 1 →
 * "12.3". Returns text. */
#define FORMAT_MILLI_BYTES 24
char *format_milli(char text[FORMAT_MILLI_BYTES], int64_t milli, unsigned decimals);

#endif
