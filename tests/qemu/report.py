# SPDX-License-Identifier: Apache-2.0
"""Reads a report (DESIGN §7): counts, checks and gives its parts. Every test reads through here, so
every run's line counts and CRCs are checked."""

import re
import zlib

END_BLOCK = re.compile(r"# end block=(\S+) lines=(\d+) crc32=([0-9a-f]{8})$")
END_REPORT = re.compile(r"# end report lines=(\d+) crc32=([0-9a-f]{8}) result=(pass|fail)$")
BENCH = re.compile(r"(Benchmark\S+?)-(\d+)\s+(\d+)\s+(.*)$")
KTAP = re.compile(r"(ok|not ok) (\d+) ([\w.-]+)(?: # (.*))?$")
META_PAIR = re.compile(r'([\w.]+)=("(?:[^"])*"|\S+)')


class Report:
    def __init__(self, text):
        lines = [line.rstrip("\r") for line in text.split("\n")]
        first = next((i for i, line in enumerate(lines) if line.startswith("goos: ")), None)
        self.lines = lines[first:] if first is not None else []
        self.result = None
        self.meta = {}
        self.warnings = []
        self.tests = {}
        self.skipped = {}
        self.samples = []  # (name, cpus, iterations, {unit: value})
        self.blocks = []
        self.errors = []
        self._read()

    def _read(self):
        crc, count = 0, 0
        for number, line in enumerate(self.lines):
            end = END_REPORT.match(line)
            if end:
                self._compare("report", count, crc, int(end.group(1)), int(end.group(2), 16))
                self.result = end.group(3)
                break
            crc = zlib.crc32(line.encode() + b"\n", crc)
            count += 1
            if len(line) > 100 and not line.startswith("Benchmark"):
                self.errors.append(f"{len(line)} columns: {line}")
            self._read_line(number, line)

    def _compare(self, what, lines, crc, want_lines, want_crc):
        if (lines, crc) != (want_lines, want_crc):
            self.errors.append(
                f"{what}: {lines} lines with crc32 {crc:08x}, it says {want_lines} and {want_crc:08x}"
            )

    def _read_line(self, number, line):
        if line.startswith("# meta "):
            self.meta.update((k, v.strip('"')) for k, v in META_PAIR.findall(line[7:]))
        elif line.startswith("# warning: "):
            self.warnings.append(line[11:])
        elif end := END_BLOCK.match(line):
            self._read_block_end(number, *end.groups())
        elif test := KTAP.match(line):
            directive = test.group(4) or ""
            if directive.startswith("SKIP"):
                self.skipped[test.group(3)] = directive
            else:
                self.tests[test.group(3)] = test.group(1) == "ok"
        elif sample := BENCH.match(line):
            fields = sample.group(4).split()
            values = {unit: float(value) for value, unit in zip(fields[::2], fields[1::2])}
            self.samples.append(
                (sample.group(1), int(sample.group(2)), int(sample.group(3)), values)
            )

    def _read_block_end(self, number, name, lines, crc):
        lines = int(lines)
        text = "".join(line + "\n" for line in self.lines[max(0, number - lines) : number])
        self._compare(f"block {name}", lines, zlib.crc32(text.encode()), lines, int(crc, 16))
        self.blocks.append(name)

    def number(self, name):
        return int(self.meta[name])

    def storms(self):
        """Names of the benchmarks that have samples: {"Update", "Lifecycle"}."""
        return {name.split("/")[0][len("Benchmark") :] for name, _, _, _ in self.samples}
