# SPDX-License-Identifier: Apache-2.0
"""Runs of the predictions, and what their figures say in words."""

import collections
import statistics

import report_cells
import sim_runs

NEAR = 1.05  # designs that are not told apart
LARGE = 1024  # CPUs from which on a run has one seed
WIDE = 1.1  # largest / smallest of the seeds, from which on a cell shows both

Run = collections.namedtuple("Run", "machine size storm design arity", defaults=[""])


class Results:
    """(run, case) → ns of each seed, and why what is missing is."""

    def __init__(self, args):
        self.args, self.ns, self.missing = args, {}, {}

    def params(self, run, seed):
        quick = ["quick"] if run.storm == "lifecycle" else []
        arity = [f"percpu_counter_tree.arity={run.arity}"] if run.arity else []
        return [f"machine={run.machine}", f"smp={run.size}", f"cpus={run.size}", f"bench={run.storm}",
                f"designs={run.design}", f"seed={seed}", "samples=1", *quick, *arity]  # fmt: skip

    def measure(self, runs, seeds):
        """The largest first, so that the two that run end together."""
        jobs = [(run, self.params(run, seed)) for run in sorted(runs, key=lambda r: (-r.size, r))
                for seed in range(1, (seeds if run.size < LARGE else 1) + 1)]  # fmt: skip
        texts = sim_runs.run_all(self.args.program, [job for _, job in jobs], self.args.seconds,
                                 tell=True)  # fmt: skip
        for (run, _), text in zip(jobs, texts):
            if isinstance(text, sim_runs.Failed):
                self.missing[run] = str(text)
                continue
            for cell, units in report_cells.cells(text).items():
                self.ns.setdefault((run, cell.case), []).append(units["ns/op"])

    def median(self, run, case):
        values = self.ns.get((run, case))
        return statistics.median(values) if values else None


def text_of(ns):
    if ns >= 1e6:
        return f"{ns / 1e6:.3g} ms"
    return f"{ns / 1e3:.3g} µs" if ns >= 1e4 else f"{ns:.0f}" if ns >= 100 else f"{ns:.3g}"


def cell_text(values):
    """The median, and the ends where the seeds differ."""
    if not values:
        return "–"
    wide = max(values) > WIDE * min(values)
    ends = f" ({text_of(min(values))}–{text_of(max(values))})" if wide else ""
    return text_of(statistics.median(values)) + ends


def spans(of_size):
    """{size: text} as "text at 24–96; other at 384"."""
    found = []
    for size, text in of_size.items():
        if found and found[-1][0] == text:
            found[-1][1].append(size)
        else:
            found.append((text, [size]))
    return "; ".join(f"{text} at {sizes[0]}" + (f"–{sizes[-1]}" if len(sizes) > 1 else "")
                     for text, sizes in found if text)  # fmt: skip


def least(medians):
    """"a, b; then c": the least and what is not told apart from it, and the next ones."""
    known, tiers = {name: ns for name, ns in medians.items() if ns}, []
    while known and len(tiers) < 2:
        bound = NEAR * min(known.values())
        tiers.append(", ".join(name for name, ns in known.items() if ns <= bound))
        known = {name: ns for name, ns in known.items() if ns > bound}
    return ", then ".join(tiers)


def from_size_on(below, sizes):
    """The first size from which on all are below."""
    first = None
    for size in reversed(sizes):
        if size not in below:
            break
        first = size
    return first


def reading(results, runs_of, designs, sizes, case):
    """One line: which is least, and what is below flat from where on."""
    cheapest = {n: least({d: results.median(runs_of(d, n), case) for d in designs}) for n in sizes}
    below = {}
    for design in designs:
        apart = [n for n in sizes if (results.ns.get((runs_of(design, n), case)) and
                                      results.ns.get((runs_of("flat", n), case)) and
                                      max(results.ns[runs_of(design, n), case]) <
                                      min(results.ns[runs_of("flat", n), case]))]  # fmt: skip
        below.setdefault(from_size_on(apart, sizes), []).append(design)
    told = "; ".join(f"{', '.join(names)} from {size} CPUs on" for size, names in below.items() if size)
    if not any(cheapest.values()):
        return "nothing to tell."
    return f"least {spans(cheapest)} CPUs. Below flat: {told or 'none up to the largest size'}."


def spread(results, designs):
    """How far the seeds differ, of the designs where they do: {design: largest / smallest}"""
    found = dict.fromkeys(designs, 1.0)
    for (run, _), values in results.ns.items():
        if run.design in found and not run.arity:
            found[run.design] = max(found[run.design], max(values) / min(values))
    return ", ".join(f"{design} ×{by:.2f}" for design, by in found.items())
