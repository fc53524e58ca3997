# SPDX-License-Identifier: Apache-2.0
"""Runs the storms of published figures and lays what comes out beside them."""

import statistics
import sys

import report_cells
import sim_runs

EXACT = 0.5  # of a page or byte: what rounding to whole ones leaves
UNITS = {"ns/op": "ns", "bound-pages": "pages", "err-pages": "pages", "B/mm": "B"}


class Measured:
    """What the runs gave: values[machine, its CPUs, cell, unit] of each seed."""

    def __init__(self):
        self.values, self.locks = {}, {}

    def add(self, machine, smp, text):
        for cell, units in report_cells.cells(text).items():
            for unit, value in units.items():
                self.values.setdefault((machine, smp, cell, unit), []).append(value)
        for place, lock in report_cells.bottlenecks(text).items():
            self.locks.setdefault((machine, smp, *place), set()).add(lock)

    def of(self, figure, i=0):
        """Of each seed; of the figure's i-th cell."""
        cell = figure.cells[min(i, len(figure.cells) - 1)]
        return self.values.get((figure.machine, figure.smp, cell, figure.line.unit), [])


def plan(figures):
    """{(machine, its CPUs, storm): (designs, numbers of CPUs)}"""
    wanted = {}
    for figure in figures:
        for cell in figure.cells:
            designs, cpus = wanted.setdefault((figure.machine, figure.smp, cell.storm), (set(), set()))
            designs.add(cell.design)
            cpus.add(cell.cpus)
    return wanted


def params_of(place, designs, cpus, samples, seed):
    machine, smp, storm = place
    return [f"machine={machine}", f"smp={smp}", f"bench={storm}", f"designs={','.join(sorted(designs))}",
            f"cpus={','.join(map(str, sorted(cpus)))}", f"samples={samples}", f"seed={seed}"]  # fmt: skip


def measure_all(program, figures, samples, settings, tell=False):
    """[Measured] of each of settings, (seeds, more parameters); a run that fails ends the tool."""
    jobs = [(n, place, params_of(place, *wanted, samples, seed) + list(more))
            for n, (seeds, more) in enumerate(settings)
            for place, wanted in sorted(plan(figures).items()) for seed in range(1, seeds + 1)]  # fmt: skip
    measured = [Measured() for _ in settings]
    texts = sim_runs.run_all(program, [job for _, _, job in jobs], tell=tell)
    for (n, place, job), text in zip(jobs, texts):
        if isinstance(text, sim_runs.Failed):
            sys.exit(f"{' '.join(job)}: {text}")
        measured[n].add(*place[:2], text)
    return measured


class Comparison:
    """Predicted beside published: low and high are the ends of what was published."""

    def __init__(self, source, name, kind, unit, low, high, values, why=""):
        self.source, self.name, self.kind, self.unit, self.why = source, name, kind, unit, why
        self.low, self.high, self.values = low, high, values
        self.predicted = statistics.median(values)

    def against(self, value):
        """The ratio to what was published, to the nearer end of a range; None to a zero."""
        nearest = min(max(value, self.low), self.high)
        return value / nearest if nearest else None

    @property
    def ratio(self):
        return self.against(self.predicted)

    def equal(self):
        return all(self.low - EXACT <= value <= self.high + EXACT for value in self.values)

    def text(self):
        """Its row: source, what, kind, published, predicted, ratio, the ratios over the seeds."""
        ends = [amount(self.low, self.unit)] + [amount(self.high, self.unit)] * (self.low != self.high)
        ratio, seeds = ("equal" if self.equal() else "NOT equal"), ""
        if self.kind != "exact":
            ratio = share(self.ratio)
            seeds = "–".join(share(self.against(f(self.values))) for f in (min, max))
            if self.low != self.high and self.low <= self.predicted <= self.high:
                ratio = "inside"
        return [self.source, self.name, self.kind, "–".join(ends), amount(self.predicted, self.unit), ratio,
                seeds]  # fmt: skip


def amount(value, unit):
    if not unit:
        return share(value)
    return f"{value:,.0f} {unit}" if abs(value) >= 1000 else f"{value:.4g} {unit}"


def share(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def storm_name(figure):
    """Ours, and what it was published as where that has another name."""
    bench, storm = figure.row["bench"], figure.line.storm
    return storm if bench == storm else f"{bench}: {storm}"


def cell_name(figure):
    """Short, where all are of one machine."""
    cell = figure.cells[0]
    return f"{cell.design} {cell.case.replace('obj=', '').replace('/inc=', ' ')}".strip()


def compare_figure(figure, i, measured):
    cell = figure.cells[i]
    name = f"{storm_name(figure)} {cell.design} {cell.case}".strip()
    name += f", {cell.cpus} of {figure.smp} CPUs, {figure.machine}"
    return Comparison(figure.row["source"], name, figure.kind, UNITS[figure.line.unit], figure.low,
                      figure.high, measured.of(figure, i), figure.line.why)  # fmt: skip


def paired(pair, figures):
    """[(first, second)] of the figures that a pair is of: one for each number of CPUs."""
    first = [f for f in figures if f.key[:3] == (pair.bench, *pair.first)]
    second = {f.key[3]: f for f in figures if f.key[:3] == (pair.bench, *pair.second)}
    return [(f, second[f.key[3]]) for f in first
            if f.key[3] in second and pair.cpus in (0, f.key[3])]  # fmt: skip


def compare_pair(pair, first, second, i, measured):
    ratio = pair.how == "/"
    apply = (lambda a, b: a / b) if ratio else (lambda a, b: a - b)
    cells = [f.cells[min(i, len(f.cells) - 1)] for f in (first, second)]
    name = f"{storm_name(first)} {cells[0].design} {pair.how} {cells[1].design}"
    case = cells[0].case if cells[0].case == cells[1].case else ""
    name = f"{name} {case}".strip() + f", {cells[0].cpus} of {first.smp} CPUs"
    values = [apply(a, b) for a, b in zip(measured.of(first, i), measured.of(second, i))]
    return Comparison(first.row["source"], name, pair.kind, "" if ratio else UNITS[first.line.unit],
                      apply(first.low, second.high), apply(first.high, second.low), values,
                      pair.why)  # fmt: skip
