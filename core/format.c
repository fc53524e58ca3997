/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf into a buffer. One pass over the format; each directive is read into a struct spec, then
 * rendered. Characters beyond the buffer are counted, not stored.
 */
#include "core/format.h"

#include <stdbool.h>

#include "core/string.h"

struct sink {
    char *text;
    size_t bytes, length;
    va_list args;
};

struct spec {
    bool left, zero, plus, space, alt;
    int width, precision; /* precision -1: none given */
    int size;             /* bytes of the integer argument */
};

static void put(struct sink *s, char c)
{
    if (s->length + 1 < s->bytes)
        s->text[s->length] = c;
    s->length++;
}

static void put_many(struct sink *s, char c, int count)
{
    while (count-- > 0)
        put(s, c);
}

static void put_padded(struct sink *s, const struct spec *spec, const char *body, int length)
{
    if (!spec->left)
        put_many(s, ' ', spec->width - length);
    for (int i = 0; i < length; i++)
        put(s, body[i]);
    if (spec->left)
        put_many(s, ' ', spec->width - length);
}

/* Digits of `value`, least significant last; returns their number. */
static int digits_of(char out[32], uint64_t value, unsigned base, bool upper)
{
    const char *alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[32];
    int n = 0;

    do {
        reversed[n++] = alphabet[value % base];
        value /= base;
    } while (value);
    for (int i = 0; i < n; i++)
        out[i] = reversed[n - 1 - i];
    return n;
}

static void put_number(struct sink *s, const struct spec *spec, uint64_t value, const char *prefix,
                       unsigned base, bool upper)
{
    char digits[32];
    int n = digits_of(digits, value, base, upper);
    int prefix_length = (int)strlen(prefix);
    int zeros = spec->precision - n;

    if (spec->precision < 0)
        zeros = spec->zero && !spec->left ? spec->width - n - prefix_length : 0;
    if (zeros < 0)
        zeros = 0;
    if (!spec->left)
        put_many(s, ' ', spec->width - zeros - n - prefix_length);
    for (int i = 0; i < prefix_length; i++)
        put(s, prefix[i]);
    put_many(s, '0', zeros);
    for (int i = 0; i < n; i++)
        put(s, digits[i]);
    if (spec->left)
        put_many(s, ' ', spec->width - zeros - n - prefix_length);
}

static const char *read_flags(const char *f, struct spec *spec)
{
    for (;; f++) {
        if (*f == '-')
            spec->left = true;
        else if (*f == '0')
            spec->zero = true;
        else if (*f == '+')
            spec->plus = true;
        else if (*f == ' ')
            spec->space = true;
        else if (*f == '#')
            spec->alt = true;
        else
            return f;
    }
}

static const char *read_int(const char *f, int *out)
{
    for (*out = 0; *f >= '0' && *f <= '9'; f++)
        *out = *out * 10 + (*f - '0');
    return f;
}

static const char *read_length(const char *f, int *size)
{
    *size = sizeof(int);
    switch (*f) {
    case 'h':
        *size = f[1] == 'h' ? 1 : 2;
        return f[1] == 'h' ? f + 2 : f + 1;
    case 'l':
        *size = sizeof(long);
        return f[1] == 'l' ? f + 2 : f + 1;
    case 'z':
    case 't':
    case 'j':
        *size = sizeof(size_t);
        return f + 1;
    default:
        return f;
    }
}

/* Integer arguments narrower than int arrive as int; `size` says what they mean. */
static uint64_t narrow(uint64_t value, int size, bool is_signed)
{
    switch (size) {
    case 1:
        return is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
    case 2:
        return is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
    case 4:
        return is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
    default:
        return value;
    }
}

static void put_signed(struct sink *s, const struct spec *spec, int64_t value)
{
    const char *sign = value < 0 ? "-" : spec->plus ? "+" : spec->space ? " " : "";

    put_number(s, spec, value < 0 ? -(uint64_t)value : (uint64_t)value, sign, 10, false);
}

static void put_string(struct sink *s, const struct spec *spec, const char *text)
{
    size_t max = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;

    text = text ? text : "(null)";
    put_padded(s, spec, text, (int)strnlen(text, max));
}

static void put_unsigned(struct sink *s, const struct spec *spec, uint64_t value, char kind)
{
    bool hex = kind == 'x' || kind == 'X';

    put_number(s, spec, value, hex && spec->alt && value ? "0x" : "", hex ? 16 : 10, kind == 'X');
}

static uint64_t take_integer(struct sink *s, int size)
{
    return size == (int)sizeof(long) ? va_arg(s->args, unsigned long) : va_arg(s->args, unsigned);
}

static const char *read_spec(struct sink *s, const char *f, struct spec *spec)
{
    f = read_flags(f, spec);
    if (*f == '*') {
        spec->width = va_arg(s->args, int);
        f++;
    } else {
        f = read_int(f, &spec->width);
    }
    if (*f == '.' && f[1] == '*') {
        spec->precision = va_arg(s->args, int);
        f += 2;
    } else if (*f == '.') {
        f = read_int(f + 1, &spec->precision);
    }
    return read_length(f, &spec->size);
}

static void put_directive(struct sink *s, const struct spec *spec, char kind)
{
    char c;

    switch (kind) {
    case 'd':
    case 'i':
        put_signed(s, spec, (int64_t)narrow(take_integer(s, spec->size), spec->size, true));
        break;
    case 'u':
    case 'x':
    case 'X':
        put_unsigned(s, spec, narrow(take_integer(s, spec->size), spec->size, false), kind);
        break;
    case 'p':
        put_number(s, spec, (uintptr_t)va_arg(s->args, void *), "0x", 16, false);
        break;
    case 's':
        put_string(s, spec, va_arg(s->args, const char *));
        break;
    case 'c':
        c = (char)va_arg(s->args, int);
        put_padded(s, spec, &c, 1);
        break;
    default:
        put(s, kind); /* "%%", and what is not known stands as it is */
    }
}

size_t format_text_v(char *text, size_t bytes, const char *format, va_list args)
{
    struct sink s = {.text = text, .bytes = bytes};

    va_copy(s.args, args);
    for (const char *f = format; *f; f++) {
        struct spec spec = {.precision = -1};

        if (*f != '%') {
            put(&s, *f);
            continue;
        }
        f = read_spec(&s, f + 1, &spec);
        if (!*f)
            break;
        put_directive(&s, &spec, *f);
    }
    va_end(s.args);
    if (bytes)
        text[s.length < bytes ? s.length : bytes - 1] = '\0';
    return s.length;
}

size_t format_text(char *text, size_t bytes, const char *format, ...)
{
    va_list args;
    size_t length;

    va_start(args, format);
    length = format_text_v(text, bytes, format, args);
    va_end(args);
    return length;
}

char *format_milli(char text[FORMAT_MILLI_BYTES], int64_t milli, unsigned decimals)
{
    static const uint32_t unit[] = {1000, 100, 10, 1};
    uint64_t magnitude = milli < 0 ? -(uint64_t)milli : (uint64_t)milli;
    uint64_t scaled, scale = 1000 / unit[decimals > 3 ? 3 : decimals];

    decimals = decimals > 3 ? 3 : decimals;
    scaled = (magnitude + unit[decimals] / 2) / unit[decimals];
    if (decimals)
        format_text(text, FORMAT_MILLI_BYTES, "%s%llu.%0*llu", milli < 0 && scaled ? "-" : "",
                    (unsigned long long)(scaled / scale), (int)decimals,
                    (unsigned long long)(scaled % scale));
    else
        format_text(text, FORMAT_MILLI_BYTES, "%s%llu", milli < 0 && scaled ? "-" : "",
                    (unsigned long long)scaled);
    return text;
}
