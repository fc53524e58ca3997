# SPDX-License-Identifier: Apache-2.0
"""What a report measured: its benchmark lines taken apart, for the tools and the tests.

A cell is one row of a storm for one design and case on so many CPUs. Whether the report came through
whole is another question: check_report.py.
"""

import collections
import re
import statistics

Cell = collections.namedtuple("Cell", "storm design case cpus")  # "update", "tree", "obj=mm/inc=p1", 384
SAMPLE = re.compile(r"Benchmark(\S+?)-(\d+)\s+(\d+)\s+(.*)$")
NAME = re.compile(r"(\w+)/design=([^/]+)(?:/(.+))?$")
BOTTLENECK = re.compile(r'# bottleneck of (\S+?)/(\S+) on \d+ CPUs?: (?:no lock.*most: )?"([^"]+)"')
META = re.compile(r'([\w.]+)=("[^"]*"|\S+)')


def sample(line):
    """(name behind "Benchmark", CPUs, iterations, {unit: value}) of a line, None if it is no sample's.

    A long sample has several lines with one name, each with other units."""
    found = SAMPLE.match(line)
    if not found:
        return None
    fields = found[4].split()
    values = {unit: float(value) for value, unit in zip(fields[::2], fields[1::2])}
    return found[1], int(found[2]), int(found[3]), values


def medians(lines):
    """{(name, CPUs): {unit: median over the samples}}"""
    values = {}
    for name, cpus, _, units in filter(None, map(sample, lines)):
        for unit, value in units.items():
            values.setdefault((name, cpus), {}).setdefault(unit, []).append(value)
    return {row: {unit: statistics.median(of) for unit, of in units.items()} for row, units in values.items()}


def cells(text):
    """{Cell: {unit: median}} of the storms that measure designs."""
    found = {}
    for (name, cpus), units in medians(text.splitlines()).items():
        parts = NAME.match(name)
        if parts:
            found[Cell(parts[1].lower(), parts[2], parts[3] or "", cpus)] = units
    return found


def bottlenecks(text):
    """{(storm, design): the class of locks that its CPUs waited for most}"""
    found = filter(None, map(BOTTLENECK.match, text.splitlines()))
    return {(m[1], m[2]): m[3] for m in found}


def meta(text, begin="# meta "):
    """{name: value} of the lines that begin so."""
    lines = (line for line in text.splitlines() if line.startswith(begin))
    return {name: value.strip('"') for line in lines for name, value in META.findall(line[len(begin) :])}
