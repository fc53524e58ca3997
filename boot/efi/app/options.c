/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load options as a command line.
 *
 * They are bytes, of the boot option's maker (8.1: "a binary data buffer"): a shell passes UCS-2
 * with the image's name first, some firmware 8-bit text, others what is no text at all. A byte
 * order mark and a terminator may be there or not.
 */
#include "boot/efi/app/app.h"

#define OPTIONS_BYTES_MAX (2 * BOOT_TEXT_BYTES_MAX) /* UCS-2 */
#define BYTE_ORDER_MARK 0xfeffu

struct reader {
    const unsigned char *at;
    UINTN count;    /* characters */
    unsigned bytes; /* of one */
};

static unsigned char_at(const struct reader *r, UINTN i)
{
    const unsigned char *c = r->at + i * r->bytes;

    return r->bytes == 2 ? c[0] | (unsigned)c[1] << 8 : c[0];
}

/* Up to the terminator, if there is one. False when there is a control character: no text. */
static bool measure(struct reader *r)
{
    for (UINTN i = 0; i < r->count; i++) {
        unsigned c = char_at(r, i);

        if (!c) {
            r->count = i;
            break;
        }
        if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
            return false;
    }
    return true;
}

/* UCS-2 where it can be that: then the second byte of ASCII, the first one at least, is 0. */
static bool find_text(struct reader *r, const unsigned char *options, UINTN bytes)
{
    *r = (struct reader){options, bytes / 2, 2};
    if (r->count && char_at(r, 0) == BYTE_ORDER_MARK) {
        r->at += 2;
        r->count--;
    }
    if (r->count && char_at(r, 0) < 0x100 && measure(r))
        return true;
    *r = (struct reader){options, bytes, 1};
    return measure(r);
}

static bool is_blank(unsigned c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static unsigned lower(unsigned c)
{
    return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

/* Where the parameters begin: behind a first word that is a path, or ends in ".efi". */
static UINTN skip_name(const struct reader *r)
{
    static const char efi[] = ".efi";
    UINTN i = 0, start, suffix = 0;
    bool quoted, path = false;

    while (i < r->count && is_blank(char_at(r, i)))
        i++;
    start = i;
    quoted = i < r->count && char_at(r, i) == '"';
    for (i += quoted; i < r->count; i++) {
        unsigned c = char_at(r, i);

        if (quoted ? c == '"' : is_blank(c))
            break;
        if (c == '=')
            return start;
        path |= c == '\\';
        suffix = lower(c) == (unsigned)efi[suffix % 4] ? suffix % 4 + 1 : c == '.';
    }
    return path || suffix == 4 ? i + quoted : start;
}

UINTN options_convert(const void *options, UINTN options_bytes, char *text, UINTN bytes)
{
    struct reader r;
    UINTN used = 0;

    if (!find_text(&r, options, options_bytes)) {
        app_note("the load options are no text, and were not read");
        return 0;
    }
    for (UINTN i = skip_name(&r); i < r.count && used < bytes; i++) {
        unsigned c = char_at(&r, i);

        if (used || !is_blank(c))
            text[used++] = c < 0x7f ? (char)c : '?';
    }
    return used;
}

struct app_text options_read(const EFI_LOADED_IMAGE *loaded)
{
    struct app_text out = {NULL, 0};
    UINTN bytes = loaded->LoadOptionsSize;

    if (!loaded->LoadOptions || !bytes)
        return out;
    if (bytes > OPTIONS_BYTES_MAX) {
        app_note("the load options are longer than 128 KiB; the rest was not read");
        bytes = OPTIONS_BYTES_MAX;
    }
    out.text = AllocatePool(bytes);
    if (out.text)
        out.bytes = options_convert(loaded->LoadOptions, bytes, out.text, bytes);
    return out;
}
