# SPDX-License-Identifier: Apache-2.0
"""What a report says, taken apart for the tests. Whether it came through whole is asked of
tools/check_report.py, for every run."""

import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))

import check_report  # noqa: E402  (needs the path above)

BENCH = re.compile(r"Benchmark(\S+?)-(\d+)\s+(\d+)\s+(.*)$")
KTAP = re.compile(r"(ok|not ok) \d+ (?:- )?(\S+)(?: # (.*))?$")
META_PAIR = re.compile(r'([\w.]+)=("[^"]*"|\S+)')


class Report:
    def __init__(self, data):
        checker = check_report.Checker()
        checker.read(data)
        self.lines = checker.lines
        self.damage = checker.damage
        self.blocks = checker.blocks
        self.result = checker.result
        self.meta = {}  # of all "# meta name=value" lines
        self.warnings = []
        self.tests = {}  # name: passed
        self.skipped = {}  # name: why
        self.samples = []  # (name behind "Benchmark", CPUs, iterations, {unit: value})
        for line in self.lines:
            self._read(line)

    def _read(self, line):
        if line.startswith("# meta "):
            self.meta.update((k, v.strip('"')) for k, v in META_PAIR.findall(line[7:]))
        elif line.startswith("# warning: "):
            self.warnings.append(line[11:])
        elif test := KTAP.match(line):
            passed, name, directive = test.groups()
            if (directive or "").startswith("SKIP"):
                self.skipped[name] = directive
            else:
                self.tests[name] = passed == "ok"
        elif sample := BENCH.match(line):
            fields = sample.group(4).split()
            values = {unit: float(value) for value, unit in zip(fields[::2], fields[1::2])}
            self.samples.append(
                (sample.group(1), int(sample.group(2)), int(sample.group(3)), values)
            )

    def number(self, name):
        return int(self.meta[name])

    def memory_mib(self):
        """Usable memory, as the memory map's line says."""
        said = (re.match(r"# memory: (\d+) MiB usable", line) for line in self.lines)
        return next(int(found.group(1)) for found in said if found)

    def storms(self):
        """Names of the benchmarks that have samples: {"Update", "Lifecycle"}."""
        return {name.split("/")[0] for name, _, _, _ in self.samples}

    def medians(self):
        """{"Update/design=flat/obj=mm/inc=p1-4": median ns/op}."""
        found = {}
        for name, cpus, _, values in self.samples:
            if "ns/op" in values:  # not in the line that continues a long one
                found.setdefault(f"{name}-{cpus}", []).append(values["ns/op"])
        return {name: statistics.median(values) for name, values in found.items()}
