#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the C table of published figures: published.py bench/published.csv > published_table.c"""

import csv
import sys

COLUMNS = ["source", "bench", "variant", "case", "cpus", "metric", "unit", "value", "machine"]
ESCAPE = str.maketrans({"\\": "\\\\", '"': '\\"'})


def quoted(text):
    if not text.isascii() or not text.isprintable():
        raise ValueError(f"not printable ASCII: {text!r}")
    return '"' + text.translate(ESCAPE) + '"'


def checked(rows):
    for row in rows:
        if None in row or None in row.values():
            raise ValueError("a line with too few or too many fields")
        yield row


def table(rows):
    yield "/* Made by tools/published.py. */"
    yield '#include "bench/published.h"'
    yield "const struct published_row published_rows[] = {"
    count = 0
    for row in rows:
        text = [quoted(row[name]) for name in ("source", "bench", "variant", "case")]
        text.append(str(int(row["cpus"])))
        text += [quoted(row[name]) for name in ("unit", "value", "machine")]
        yield "    {" + ", ".join(text) + "},"
        count += 1
    yield "};"
    yield f"const uint32_t published_nr_rows = {count};"


def convert(file, path):
    reader = csv.DictReader(file)
    try:
        if reader.fieldnames != COLUMNS:
            print(f"{path}: columns are {reader.fieldnames}, not {COLUMNS}", file=sys.stderr)
            return 1
        print("\n".join(table(checked(reader))))
    except (ValueError, csv.Error) as error:
        print(f"{path}:{reader.line_num}: {error}", file=sys.stderr)
        return 1
    return 0


def main(argv):
    if argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(argv) != 2:
        print("usage: published.py FILE.csv", file=sys.stderr)
        return 2
    try:
        with open(argv[1], newline="", encoding="ascii") as file:
            return convert(file, argv[1])
    except OSError as error:
        print(f"published.py: {argv[1]}: {error.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
