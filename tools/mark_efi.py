#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finishes an EFI application as binutils and GNU-EFI leave it.

  mark_efi.py FILE

- It is marked as one whose data need not be executable (NX_COMPAT); that no section is writable and
  executable is checked before.
- Where the header is GNU-EFI's own (arm64), it promises whole sectors of the file and does not round
  the size of the image: both are made true.
"""

import struct
import sys

PE_OFFSET_AT = 0x3C
FILE_HEADER_BYTES = 24
OPTIONAL_MAGIC_64 = 0x20B
# In the optional header.
SECTION_ALIGNMENT_AT, IMAGE_SIZE_AT, DLL_CHARACTERISTICS_AT = 32, 56, 70
NX_COMPAT = 0x100
SECTION_HEADER_BYTES = 40
EXECUTABLE, WRITABLE = 0x20000000, 0x80000000


def mark(image):
    """`image`, a bytearray, is changed in place."""
    header = struct.unpack_from("<I", image, PE_OFFSET_AT)[0]
    sections, optional_bytes = struct.unpack_from("<xx H 12x H", image, header + 4)
    optional = header + FILE_HEADER_BYTES
    if image[header : header + 4] != b"PE\0\0":
        raise SystemExit("no PE file")
    if struct.unpack_from("<H", image, optional)[0] != OPTIONAL_MAGIC_64:
        raise SystemExit("no 64-bit PE file")
    for i in range(sections):
        at = optional + optional_bytes + i * SECTION_HEADER_BYTES
        raw_bytes, raw_at = struct.unpack_from("<II", image, at + 16)
        image.extend(bytes(max(0, raw_at + raw_bytes - len(image))))
        name, flags = image[at : at + 8].rstrip(b"\0"), struct.unpack_from("<I", image, at + 36)[0]
        if flags & EXECUTABLE and flags & WRITABLE:
            raise SystemExit(f"section {name.decode()} is writable and executable")
    alignment = struct.unpack_from("<I", image, optional + SECTION_ALIGNMENT_AT)[0]
    size = struct.unpack_from("<I", image, optional + IMAGE_SIZE_AT)[0]
    struct.pack_into("<I", image, optional + IMAGE_SIZE_AT, -(-size // alignment) * alignment)
    at = optional + DLL_CHARACTERISTICS_AT
    struct.pack_into("<H", image, at, struct.unpack_from("<H", image, at)[0] | NX_COMPAT)


def main(argv):
    if argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(argv[1], "r+b") as file:
            image = bytearray(file.read())
            mark(image)
            file.seek(0)
            file.write(image)
    except OSError as error:
        raise SystemExit(f"mark_efi.py: {argv[1]}: {error.strerror}") from None
    except struct.error:
        raise SystemExit(f"mark_efi.py: {argv[1]}: no PE file, or cut off") from None
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
