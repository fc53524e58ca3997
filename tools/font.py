#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The printable ASCII glyphs of a console font (PSF 1 or 2, 8 pixels wide) as C.

  font.py FONT.psf.gz > font_table.c

PSF: kbd, "The Linux PSF console fonts" (win.tue.nl/~aeb/linux/kbd/font-formats-1.html).
"""

import gzip
import struct
import sys
import zlib

FIRST, LAST = 0x20, 0x7E
MAGIC_1 = b"\x36\x04"
MAGIC_2 = b"\x72\xb5\x4a\x86"
MODE_512, MODE_TABLE, MODE_SEQUENCES = 1, 2, 4  # of PSF 1
WIDTH = 8


class BadFont(Exception):
    pass


def read_psf1(data):
    """(glyphs, {code point: glyph})"""
    mode, height = data[2], data[3]
    count = 512 if mode & MODE_512 else 256
    glyphs = [data[4 + i * height : 4 + (i + 1) * height] for i in range(count)]
    places = {code: code for code in range(count)}
    if mode & (MODE_TABLE | MODE_SEQUENCES):
        places = {}
        words = [w for (w,) in struct.iter_unpack("<H", data[4 + count * height :])]
        glyph, in_sequence = 0, False
        for word in words:
            if word == 0xFFFF:
                glyph, in_sequence = glyph + 1, False
            elif word == 0xFFFE:
                in_sequence = True
            elif not in_sequence:
                places.setdefault(word, glyph)
    return glyphs, places


def read_psf2(data):
    _, _, header, flags, count, size, height, width = struct.unpack_from("<8I", data)
    if width != WIDTH or size != height:
        raise BadFont(f"{width} pixels wide, {WIDTH} are needed")
    glyphs = [data[header + i * size : header + (i + 1) * size] for i in range(count)]
    places = {code: code for code in range(count)}
    if flags & 1:
        places = {}
        for glyph, entry in enumerate(data[header + count * size :].split(b"\xff")[:count]):
            for char in entry.split(b"\xfe")[0].decode("utf-8"):
                places.setdefault(ord(char), glyph)
    return glyphs, places


def read_font(path):
    """The glyphs of FIRST to LAST, each a bytes object of one byte a line, top first."""
    with gzip.open(path) as file:
        data = file.read()
    if data.startswith(MAGIC_1):
        glyphs, places = read_psf1(data)
    elif data.startswith(MAGIC_2):
        glyphs, places = read_psf2(data)
    else:
        raise BadFont("no PSF font")
    missing = [chr(code) for code in range(FIRST, LAST + 1) if code not in places]
    if missing:
        raise BadFont("no glyphs for " + " ".join(missing))
    found = [glyphs[places[code]] for code in range(FIRST, LAST + 1)]
    if len({len(glyph) for glyph in found}) != 1 or len(set(found)) != len(found):
        raise BadFont("glyphs are cut off, or two characters look the same")
    return found


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        glyphs = read_font(arguments[0])
    except (OSError, EOFError, zlib.error, BadFont, ValueError, LookupError, struct.error) as error:
        print(f"font.py: {arguments[0]}: {error}", file=sys.stderr)
        return 1
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print("/* Made by tools/font.py; the glyphs are in the public domain. */")
    print('#include "drivers/font.h"\n')
    print(f"const unsigned font_height = {len(glyphs[0])};")
    print("const uint8_t font_glyphs[] = {")
    for code, glyph in enumerate(glyphs, FIRST):
        print("    " + " ".join(f"{line:#04x}," for line in glyph) + f" /* {code:#x} */")
    print("};")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
