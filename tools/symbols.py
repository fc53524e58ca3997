#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of an image's functions, for symbolised backtraces, and checks it.

  symbols.py [--nm NM] IMAGE           the table (C source for core/symbol_table.h) on stdout
  symbols.py [--nm NM] --check A B     exit 1 unless every function of A has the same address in B

IMAGE is the first link, without table; linking the table in must not move a function, which
--check proves of the second link.
"""

import argparse
import subprocess
import sys

ANCHOR = "symbol_lookup"
TEXT_TYPES = "tTi"
# nm does not say of these whether they are functions: they are where functions are.
WEAK_TYPES = "wWu"
# The last function ends where the next symbol is, or this far on when it is the last of all.
LAST_FUNCTION_BYTES = 4096


def read_nm(text):
    """[(address, type, name)] of `nm -n` output, undefined symbols left out."""
    symbols = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) != 3:
            continue
        symbols.append((int(fields[0], 16), fields[1], fields[2]))
    # A weak symbol without type behind all code is data (data_start of a C library's start file).
    code_end = max((address for address, kind, _ in symbols if kind in "tT"), default=0)
    symbols = [s for s in symbols if s[1] not in "wW" or s[0] <= code_end]
    return sorted(symbols, key=lambda s: s[0])


def only_functions(symbols):
    """Those that lie in the text: weak data of the C library's start files, for one, does not."""
    text = [address for address, kind, _ in symbols if kind in TEXT_TYPES]
    if not text:
        raise SystemExit("symbols.py: the image has no function")
    return [
        (address, kind, name)
        for address, kind, name in symbols
        # $x, $d: mapping symbols of arm64; .L: local labels.
        if (kind in TEXT_TYPES or kind in WEAK_TYPES)
        and text[0] <= address <= text[-1]
        and not name.startswith(("$", ".L"))
    ]


def functions(symbols):
    """[(address, name)] without doubles, and the address where the last one ends. Of several
    names at one address the first in the list is kept, a global one first."""
    table = {}
    for address, kind, name in only_functions(symbols):
        if address not in table or (kind == "T" and table[address][0] != "T"):
            table[address] = (kind, name)
    found = [(address, table[address][1]) for address in sorted(table)]
    behind = [address for address, _, _ in symbols if address > found[-1][0]]
    end = behind[0] if behind else found[-1][0] + LAST_FUNCTION_BYTES
    return found, end


def near_anchor(found, end, anchor):
    """Only what a 32-bit distance from the anchor reaches (not a boot path's low-memory code)."""
    near = [f for f in found if abs(f[0] - anchor) < 2**31]
    return near, min(max(end, near[-1][0] + 1), anchor + 2**31 - 1)


def emit(found, end, anchor, out):
    names = ""
    offsets, name_at = [], []
    for address, name in found:
        offsets.append(address - anchor)
        name_at.append(len(names))
        names += name + "\0"
    offsets.append(end - anchor)
    out.write("/* Made by tools/symbols.py. */\n")
    out.write('#include "core/symbol_table.h"\n\n')
    out.write("static const int32_t offsets[] = {%s};\n" % ", ".join(map(str, offsets)))
    out.write("static const uint32_t name_at[] = {%s};\n" % ", ".join(map(str, name_at)))
    out.write("static const char names[] =\n")
    for _, name in found:
        out.write('    "%s\\0"\n' % name.replace("\\", "\\\\").replace('"', '\\"'))
    out.write(";\n\n")
    table = "{%d, offsets, name_at, names}" % len(found)
    out.write("const struct symbol_table symbol_table = %s;\n" % table)


def make(symbols, out):
    anchors = [address for address, _, name in symbols if name == ANCHOR]
    if len(anchors) != 1:
        raise SystemExit("symbols.py: the image has no function %s" % ANCHOR)
    found, end = functions(symbols)
    found, end = near_anchor(found, end, anchors[0])
    emit(found, end, anchors[0], out)


def moved(before, after):
    """The functions of `before` that are not at the same address in `after`."""
    there = {(address, name) for address, _, name in only_functions(after)}
    return [
        (address, name)
        for address, _, name in only_functions(before)
        if (address, name) not in there
    ]


def run_nm(nm, image):
    try:
        listed = subprocess.run([nm, "-n", image], capture_output=True, text=True)
    except OSError as error:
        raise SystemExit(f"symbols.py: {nm}: {error.strerror}") from None
    if listed.returncode:
        said = listed.stderr.strip().splitlines() or [f"exit status {listed.returncode}"]
        raise SystemExit(f"symbols.py: {said[-1]}")
    return read_nm(listed.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("images", nargs="+")
    args = parser.parse_args()
    if args.check:
        if len(args.images) != 2:
            parser.error("--check takes two images")
        wrong = moved(run_nm(args.nm, args.images[0]), run_nm(args.nm, args.images[1]))
        for address, name in wrong[:10]:
            print("symbols.py: %s was at %#x and has moved" % (name, address), file=sys.stderr)
        return 1 if wrong else 0
    make(run_nm(args.nm, args.images[0]), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
