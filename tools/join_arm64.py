#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the LL/SC kernel and the LSE kernel to one arm64 Image (boot/image_arm64/header.S).

  join_arm64.py LLSC.bin LSE.bin OUT

The second kernel follows at the first 2 MiB boundary behind all memory that the first one takes,
since either may be the one that runs. The first header then says how much memory both take, and
where the twin is.
"""

import struct
import sys

ALIGN = 2 << 20
IMAGE_SIZE_AT = 16
TWIN_AT = 32
MAGIC_AT, MAGIC = 56, b"ARM\x64"


def memory_bytes(kernel, name):
    if kernel[MAGIC_AT : MAGIC_AT + 4] != MAGIC:
        raise SystemExit(f"join_arm64.py: {name} has no arm64 Image header")
    return struct.unpack_from("<Q", kernel, IMAGE_SIZE_AT)[0]


def join(first, second):
    """The joined image as bytes."""
    twin = -(-memory_bytes(first, "the first kernel") // ALIGN) * ALIGN
    image = bytearray(first.ljust(twin, b"\0")) + second
    struct.pack_into("<Q", image, IMAGE_SIZE_AT, twin + memory_bytes(second, "the second kernel"))
    struct.pack_into("<Q", image, TWIN_AT, twin)
    return bytes(image)


def main(argv):
    if argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(argv[1], "rb") as first, open(argv[2], "rb") as second:
            image = join(first.read(), second.read())
        with open(argv[3], "wb") as out:
            out.write(image)
    except OSError as error:
        raise SystemExit(f"join_arm64.py: {error.filename}: {error.strerror}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
