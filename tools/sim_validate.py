#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays the simulated machine's predictions beside the published figures, all of them.

  sim_validate.py [--seeds 5] [--samples 3] [--storms update,exec,…] [--program PATH] [--doc]

Every figure of bench/published.csv is what tools/sim_cells.py says that it is: predicted, fitted, exact,
a known miss, other code, not comparable, or of a storm to come. Each storm runs under N seeds, two runs
at a time; the prediction is the median over the seeds of each run's median. Printed: Markdown. --doc:
into its part of docs/simulated-machine.md.

Exit 1 when a ratio leaves the band that sim_cells.py has for it (a known miss also to the better: then
its line is to be corrected), the mean error of the eight update cells is above 1.25, an exact figure is
not equal, a storm did not report a cell, or the bottleneck of exec does not move as published.
"""

import argparse
import collections
import sys

import sim_cells
import sim_compare
import sim_runs

DOC = "docs/simulated-machine.md"
MEAN_ERROR = 1.25
EXEC = "xeon6252x2", 26, "exec"


def judge_band(name, value, band, wrong):
    if band and not band[0] <= value <= band[1]:
        wrong.append(f"{name}: {value:.3g} is outside of {band[0]} … {band[1]}")


def compare_figures(figures, measured, seeds, wrong):
    """([Comparison], the ratios of the eight)"""
    found, eight = [], []
    for figure in figures:
        for i, cell in enumerate(figure.cells):
            if len(measured.of(figure, i)) != seeds:
                wrong.append(f"{'/'.join(map(str, cell))}: {figure.line.unit} of it in the reports of "
                             f"{len(measured.of(figure, i))} seeds of {seeds}")  # fmt: skip
                continue
            found.append(sim_compare.compare_figure(figure, i, measured))
            judge_band(found[-1].name, found[-1].ratio, figure.line.within, wrong)
            eight += [found[-1].ratio] * figure.line.eight
    return found, eight


def compare_pairs(figures, measured, wrong):
    """[Comparison]; pairs of which a storm was not run, or not reported by every seed, are left out."""
    found = []
    for pair in sim_cells.PAIRS:
        for first, second in sim_compare.paired(pair, figures):
            for i in range(len(first.cells)):
                if 0 < len(measured.of(first, i)) == len(measured.of(second, i)):
                    found.append(sim_compare.compare_pair(pair, first, second, i, measured))
                    judge_band(found[-1].name, found[-1].predicted, pair.within, wrong)
    return found


def judge_exact(found, wrong):
    wrong += [f"{c.name}: not equal: {c.text()[4]}, published {c.text()[3]}"
              for c in found if c.kind == "exact" and not c.equal()]  # fmt: skip


def judge_eight(eight, wrong):
    error = sim_runs.geometric_error(eight)
    if error > MEAN_ERROR:
        wrong.append(f"mean error of the update cells: {error:.3f} is above {MEAN_ERROR}")
    return (f"Geometric mean error of the {len(eight)} update cells that are required: {error:.3f}, "
            f"the farthest {max(eight, key=lambda r: max(r, 1 / r)):.2f}.")  # fmt: skip


def judge_exec(locks, wrong):
    """The bottleneck that grouping moves: from the per-CPU allocator to the release of pages."""
    before, after = (", ".join(sorted(locks.get((*EXEC, design), {"none named"})))
                     for design in ("flat-single", "flat"))  # fmt: skip
    if "allocator" not in before or "lruvec" not in after or "," in before + after:
        wrong.append(f"exec: the bottleneck does not move as published: {before} → {after}")
    return (f"Bottleneck of exec at 26: {before} → {after} (published: the per-CPU allocator → the lruvec "
            "lock of the page release).")  # fmt: skip


def reasons(found):
    """Why some are no predictions, or miss: one line a reason."""
    names = {}
    for comparison in found:
        if comparison.why:
            names.setdefault((comparison.kind, comparison.why), []).append(comparison.name.split(",")[0])
    for (kind, why), of in names.items():
        yield f"- {kind}: {', '.join(dict.fromkeys(of))}: {why}."


def accounts(figures):
    """Where all figures of the file are."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in collections.Counter(f.kind for f in figures).most_common())
    yield f"{len(figures)} published figures: {kinds}."
    absent = {}
    for figure in figures:
        if not figure.line.storm:
            absent.setdefault((figure.kind, figure.row["source"], figure.row["bench"], figure.line.why),
                              []).append(figure)  # fmt: skip
    for (kind, source, bench, why), of in absent.items():
        yield f"- {kind}: {source} {bench}, {len(of)} figures{': ' + why if why else ''}."


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--storms", type=lambda text: text.split(","), help="only these")
    parser.add_argument("--doc", action="store_true", help=f"write the cells' part of {DOC}")
    parser.add_argument("--program", default=sim_runs.PROGRAM)
    args = parser.parse_args()
    try:
        figures = sim_cells.figures()
    except ValueError as error:
        sys.exit(str(error))
    here = [f for f in figures if f.line.storm and (not args.storms or f.line.storm in args.storms)]
    measured, wrong = sim_compare.measure_all(args.program, here, args.samples, [(args.seeds, ())])[0], []
    single, eight = compare_figures(here, measured, args.seeds, wrong)
    pairs = compare_pairs(here, measured, wrong)
    judge_exact(single + pairs, wrong)
    said = [judge_eight(eight, wrong)] if eight else []
    if EXEC in sim_compare.plan(here):
        said.append(judge_exec(measured.locks, wrong))
    lines = [f"Normal suite, {args.samples} samples a run, median over {args.seeds} seeds "
             f"({sim_runs.cpu_seconds():.0f} s of CPU time).", ""]  # fmt: skip
    heads = ["", "what", "kind", ">published", ">predicted", ">ratio", "over the seeds"]
    lines += sim_runs.table(heads, [c.text() for c in single])
    lines += ["", "Two figures together (what both leave out cancels in the difference):", ""]
    lines += sim_runs.table(heads, [c.text() for c in pairs])
    lines += ["", *(f"- {line}" for line in said), *reasons(single + pairs), "", *accounts(figures)]
    lines = list(sim_runs.wrapped(lines))
    print("\n".join(lines))
    if args.doc:
        sim_runs.replace_part(DOC, "sim_validate.py", lines)
    for what in wrong:
        print(f"not as required: {what}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
