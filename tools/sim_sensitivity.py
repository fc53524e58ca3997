#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves each figure of the simulated EPYC machine alone and says what becomes of the published cells.

  sim_sensitivity.py [--figures far,alpha,…] [--storms update,lifecycle] [--seeds 3] [--doc]

The figures are those of the report's "# meta model" lines but the topology's, 20 % down and up, the
cells those of 384 CPUs that tools/sim_cells.py holds to a band. A figure that is 0 is moved to 1; one that
must be whole, a power of two or within limits as near as it may. Two runs at a time. A change, from the
machine as it is or from down to up, counts when it is above 5 % and above four standard errors of what the
seeds alone make of the cell. All figures: 30 minutes of CPU time. --doc: into its part of
docs/simulated-machine.md.
"""

import argparse
import math
import statistics
import sys

import report_cells
import sim_cells
import sim_compare
import sim_runs
from sim_validate import DOC

TOPOLOGY = {"sockets", "clusters", "cores", "threads", "threads_adjacent"}
PLACE = "epyc9654x2", 384
MOVED = 0.05
ERRORS = 4
FACTORS = 0.8, 1.2


def model(program):
    """{name: text} of the machine's figures, as its report has them."""
    text = sim_runs.run(program, [f"machine={PLACE[0]}", "bench=none"])
    figures = report_cells.meta(text, "# meta model ")
    return {name: value for name, value in figures.items() if name not in TOPOLOGY}


def is_refused(program, setting):
    try:
        sim_runs.run(program, [f"machine={PLACE[0]}", "bench=none", setting])
    except sim_runs.Failed:
        return True
    return False


def moves(program, name, value):
    """[setting or None] of the figure moved down and up."""
    value, found = float(value), []
    for factor in FACTORS:
        wanted = [value * factor] if value else [1.0] * (factor > 1)
        wanted += [round(w) for w in wanted] + [1.0] * (value < 1 < value * factor)
        wanted += [0.0] * (factor < 1 and value == 1)  # a flag
        wanted += [value * (0.5 if factor < 1 else 2)]  # one that must be a power of two
        settings = [f"sim.{name}={w:g}" for w in wanted if w != value]
        found.append(next((s for s in settings if not is_refused(program, s)), None))
    return found


def cells_held(storms):
    """The figures of 384 CPUs that have a band."""
    return [f for f in sim_cells.figures()
            if f.line.within and (f.machine, f.smp) == PLACE and f.cells[0].cpus == PLACE[1]
            and (not storms or f.line.storm in storms)]  # fmt: skip


def logs_of(measured, held):
    """[[log(predicted / published) of each seed] of each cell]"""
    return [[math.log(value / figure.low) for value in measured.of(figure)] for figure in held]


def noise(settings):
    """Standard deviation of each cell's logarithm from seed to seed, pooled over all settings."""
    found = []
    for of_cell in zip(*settings):
        squares = sum((v - statistics.mean(seeds)) ** 2 for seeds in of_cell for v in seeds)
        found.append(math.sqrt(squares / max(sum(len(seeds) - 1 for seeds in of_cell), 1)))
    return found


def changes(now, before, noise_of, what=""):
    """[(does it count, its size, by how much, where)] of each cell, from before to now."""
    found = []
    for i, (n, b) in enumerate(zip(now, before)):
        by = statistics.mean(n) - statistics.mean(b)
        error = noise_of[i] * math.sqrt(1 / len(n) + 1 / len(b))
        counts = abs(by) > max(math.log(1 + MOVED), ERRORS * error)
        found.append((counts, abs(by), math.exp(by) - 1, f"cell {i + 1}{what}"))
    return found


def row(held, base, name, value, moved, noise_of):
    """The figure's row of the table, and whether it moves a cell (None: not moved); moved: (setting, logs), down and up."""
    texts = [text for setting, logs in moved for text in
             ([setting.split("=")[1], *summary(logs, held)] if setting else ("–", "", ""))]  # fmt: skip
    logs = [logs for _, logs in moved if logs]
    found = [c for of in logs for c in changes(of, base, noise_of)]
    if len(logs) == 2:
        found += changes(logs[1], logs[0], noise_of, ", down to up")
    if not found:
        return [name, value, *texts, "cannot be moved"], None
    counts, _, by, where = max(found)
    return [name, value, *texts, f"{by:+.0%} {where}" if counts else f"{by:+.0%}, as the seeds"], counts


def summary(logs, held):
    """Mean error of the eight, and all ratios."""
    ratios = [math.exp(statistics.mean(seeds)) for seeds in logs]
    eight = [ratio for ratio, figure in zip(ratios, held) if figure.line.eight]
    error = f"{sim_runs.geometric_error(eight):.2f}" if eight else "–"
    return error, " ".join(f"{ratio:.2f}" for ratio in ratios)


def reading(rows):
    """What matters and what does not."""
    def named(wanted):
        return ", ".join(row[0] for row, counts in rows if counts is wanted) or "none"

    return [f"Moves a cell by more than {MOVED:.0%} (and {ERRORS} standard errors of the seeds): {named(True)}.",
            f"Moves no cell by more: {named(False)}. Could not be moved: {named(None)}."]  # fmt: skip


def head_lines(held, base, noise_of, args):
    error, unmoved = summary(base, held)
    names = "; ".join(f"{i + 1} {sim_compare.cell_name(figure)}" for i, figure in enumerate(held))
    yield (f"Cells: {names}. Normal suite, {args.samples} samples a run, geometric mean over {args.seeds} "
           f"seeds. Unmoved ({args.base_seeds} seeds): mean error of the eight "
           f"{error}, ratios {unmoved}; from seed to seed they vary by (standard deviation) "
           + " ".join(f"{n:.0%}" for n in noise_of) + ".")  # fmt: skip
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--figures", type=lambda text: text.split(","), help="only these")
    parser.add_argument("--storms", type=lambda text: text.split(","), help="cells of these only")
    parser.add_argument("--seeds", type=int, default=3, help="of each figure moved")
    parser.add_argument("--base-seeds", type=int, default=7, help="of the machine as it is")
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--doc", action="store_true", help=f"write the part of {DOC}")
    parser.add_argument("--program", default=sim_runs.PROGRAM)
    args = parser.parse_args()
    values, held = model(args.program), cells_held(args.storms)
    if unknown := set(args.figures or []) - set(values):
        sys.exit(f"the machine has no figure {', '.join(sorted(unknown))}: it has {', '.join(values)}")
    names = args.figures or list(values)
    wanted = [(name, setting) for name in names for setting in moves(args.program, name, values[name])]
    settings = [(args.base_seeds, ())] + [(args.seeds, (setting,)) for _, setting in wanted if setting]
    measured = iter(sim_compare.measure_all(args.program, held, args.samples, settings, tell=True))
    base = logs_of(next(measured), held)
    moved = [(setting, logs_of(next(measured), held) if setting else None) for _, setting in wanted]
    noise_of = noise([base] + [logs for _, logs in moved if logs])
    rows = [row(held, base, name, values[name], moved[2 * i : 2 * i + 2], noise_of)
            for i, name in enumerate(names)]  # fmt: skip
    heads = ["figure", ">value", ">down to", ">error", "ratios", ">up to", ">error", "ratios", "largest change"]
    lines = [*head_lines(held, base, noise_of, args), *sim_runs.table(heads, [cells for cells, _ in rows]), "",
             *reading(rows), f"{sim_runs.cpu_seconds():.0f} s of CPU time."]  # fmt: skip
    lines = list(sim_runs.wrapped(lines))
    print("\n".join(lines))
    if args.doc:
        sim_runs.replace_part(DOC, "sim_sensitivity.py", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
