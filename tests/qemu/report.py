# SPDX-License-Identifier: Apache-2.0
"""What a report says, taken apart for the tests. Whether it came through whole is asked of
tools/check_report.py, for every run."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))

import check_report  # noqa: E402  (needs the path above)
import report_cells  # noqa: E402

KTAP = re.compile(r"(ok|not ok) \d+ (?:- )?(\S+)(?: # (.*))?$")


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
            self.meta.update((k, v.strip('"')) for k, v in report_cells.META.findall(line[7:]))
        elif line.startswith("# warning: "):
            self.warnings.append(line[11:])
        elif test := KTAP.match(line):
            passed, name, directive = test.groups()
            if (directive or "").startswith("SKIP"):
                self.skipped[name] = directive
            else:
                self.tests[name] = passed == "ok"
        elif sample := report_cells.sample(line):
            self.samples.append(sample)

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
        rows = report_cells.medians(self.lines).items()
        return {f"{name}-{cpus}": units["ns/op"] for (name, cpus), units in rows if "ns/op" in units}
