#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Says whether a Corestorm report came through whole: check_report.py [FILE], or - for stdin.

Checks the line counts and CRC-32 of every block and of the report, that every line has one of the
forms a report has, the KTAP part's plan and numbers, and the benchmark lines. What stands before
"goos:" and behind "# end report" (a boot loader, a shell) is passed over. There may be several
reports one after the other (loop=, the shell): each is checked, and has a line of its own.

Exit: 0 all reports are whole and say pass; 1 one is damaged, and the first damage is named with its
line, or says fail; 2 usage, or there is no report in the input.
"""

import re
import sys
import zlib

COLUMNS = 100
END_BLOCK = re.compile(r"# end block=(\S+) lines=(\d+) crc32=([0-9a-f]{8})$")
END_REPORT = re.compile(r"# end report lines=(\d+) crc32=([0-9a-f]{8}) result=(pass|fail)$")
CONFIG = re.compile(r"(goos|goarch|pkg|cpu): \S.*$")
PLAN = re.compile(r"1\.\.(\d+)$")
TEST = re.compile(r"(not )?ok (\d+)(?: (- )?(\S+))?(?: #.*)?$")
NUMBER = r"-?(?:\d+|\d+\.\d+|\.\d+)(?:e[+-]?\d+)?"
BENCH = re.compile(rf"Benchmark[A-Z0-9_]\S*-[1-9]\d*\s+\d+(?:\s+{NUMBER}\s+[^\s\d]\S*)+$")
FIRST = "goos: "


class Checker:
    """Reads line by line; `damage` are (line number in the input, text), in the order found."""

    def __init__(self, lines_before=0):
        self.lines_before = lines_before
        self.damage = []
        self.lines = []  # of the report, from "goos:" on, without line ends
        self.first = 0  # number of its first line in the input
        self.blocks = []
        self.last_end = 0  # index behind the last "# end block"
        self.odd = []  # indices of lines that have no form of a report's
        self.plan = None
        self.tests = {}
        self.samples = 0
        self.result = None

    def damaged(self, index, text):
        self.damage.append((self.first + index, text))

    def read(self, data):
        lines = [line[:-1] if line.endswith(b"\r") else line for line in data.split(b"\n")]
        start = next((i for i, line in enumerate(lines) if FIRST.encode() in line), None)
        if start is None:
            return False
        # A boot loader may have left the cursor in a line of its own.
        lines[start] = lines[start][lines[start].index(FIRST.encode()) :]
        self.first = self.lines_before + start + 1
        for raw in lines[start:]:
            line = raw.decode("latin-1")
            self.lines.append(line)
            if self._line(len(self.lines) - 1, line):
                return True
        self._cut_off()
        return True

    def _line(self, index, line):
        """True behind the report's last line."""
        if end := END_REPORT.match(line):
            self._report_end(index, *end.groups())
            return True
        if end := END_BLOCK.match(line):
            self._block_end(index, end.group(1), int(end.group(2)), end.group(3))
        elif fault := self._fault(line):
            self.odd.append(index)
            self.damaged(index, f"{fault}: {line[:COLUMNS]!r}")
        return False

    def _fault(self, line):
        """What is wrong with a line by itself, or None."""
        if not line.isascii() or not line.isprintable():
            return "bytes that are not printable ASCII"
        if len(line) > COLUMNS and not line.startswith("Benchmark"):
            return f"{len(line)} columns, {COLUMNS} at most"
        if line == "#" or line.startswith("# ") or CONFIG.match(line) or line == "KTAP version 1":
            return None
        if BENCH.match(line):
            self.samples += 1
            return None
        if plan := PLAN.match(line):
            return self._set_plan(int(plan.group(1)))
        if test := TEST.match(line):
            return self._add_test(int(test.group(2)), test.group(4))
        if line.startswith("Benchmark"):
            return "a benchmark line that is not one"
        return "no line of a report"

    def _set_plan(self, count):
        if self.plan is not None:
            return "a second KTAP plan"
        self.plan = count
        return None

    def _add_test(self, number, name):
        if number in self.tests:
            return f"a second result of test {number} ({self.tests[number]})"
        previous = max(self.tests, default=0)
        self.tests[number] = name
        if number != previous + 1:
            return f"test {number} behind test {previous}"
        return None

    def _crc(self, begin, end):
        text = "".join(line + "\n" for line in self.lines[begin:end])
        return f"{zlib.crc32(text.encode('latin-1')):08x}"

    def _block_end(self, index, name, count, crc):
        begin = index - count
        if begin < self.last_end:
            self.damaged(
                self._suspect(self.last_end, index),
                f"block {name}: {count} lines were sent, at most {index - self.last_end} are there",
            )
        elif self._crc(begin, index) != crc:
            self.damaged(
                self._suspect(self.last_end, index),
                f"block {name}: crc32 of its {count} lines is {self._crc(begin, index)}, "
                f"{crc} was sent (lines {self.first + begin} to {self.first + index - 1}, or lines "
                "are missing)",
            )
        self.blocks.append(name)
        self.last_end = index + 1

    def _suspect(self, begin, end):
        """The first line of a damaged stretch that has no form, else the stretch's first."""
        return next((i for i in self.odd if begin <= i < end), begin)

    def _report_end(self, index, lines, crc, result):
        self.result = result
        clean = not self.damage
        if int(lines) != index:
            self.damaged(self.last_end if clean else index,
                         f"the report has {index} lines, {lines} were sent")
        elif self._crc(0, index) != crc:
            self.damaged(self.last_end if clean else index,
                         f"crc32 of the report is {self._crc(0, index)}, {crc} was sent; its blocks "
                         "are whole: the damage lies outside of them" if clean else
                         f"crc32 of the report is {self._crc(0, index)}, {crc} was sent")
        # A run that panicked says fail and need not have come to the end of its tests.
        if result == "pass" and self.plan is not None and self.plan != len(self.tests):
            self.damaged(index, f"KTAP: {self.plan} tests planned, {len(self.tests)} results")

    def _cut_off(self):
        last = max((i for i, line in enumerate(self.lines) if line), default=0)
        self.damaged(last, "the report ends here, without its \"# end report\" line")


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    name = arguments[0] if arguments else "-"
    try:
        if name == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                data = file.read()
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return 2
    reports = read_reports(data)
    if not reports:
        print(f"{name}: no report: no line begins with \"{FIRST.strip()}\"", file=sys.stderr)
        return 2
    return max([verdict(name, checker) for checker in reports])


def read_reports(data):
    """Of every report in it, in order."""
    found, lines, at = [], data.split(b"\n"), 0
    while True:
        checker = Checker(at)
        if not checker.read(b"\n".join(lines[at:])):
            return found
        found.append(checker)
        at = checker.first - 1 + len(checker.lines)


def verdict(name, checker):
    if checker.damage:
        line, text = min(checker.damage, key=lambda damage: damage[0])
        print(f"{name}:{line}: damaged: {text}")
        if len(checker.damage) > 1:
            print(f"{name}: and {len(checker.damage) - 1} more behind it")
        return 1
    print(
        f"{name}: whole: {len(checker.lines)} lines, {len(checker.blocks)} blocks, "
        f"{len(checker.tests)} tests, {checker.samples} benchmark lines, result={checker.result}"
    )
    return 0 if checker.result == "pass" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
