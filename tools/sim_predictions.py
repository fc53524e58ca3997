#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/predictions.md: what the simulated machine predicts and nobody has published.

  sim_predictions.py [--program build/sim/corestorm] [--sizes 24,96,384,1024] [--out docs/predictions.md]

Lifecycle of every design, update of the flat counter's layouts, and tree shapes, on four machines. A
run that fails or takes longer than its time leaves its cells empty ("–"); from 1024 CPUs on a few
designs only.
"""

import argparse
import os
import re
import subprocess
import sys

STAT = re.compile(r"^# stat (\S+?)/design=([^/\s]+?)(?:/(\S+?))?-(\d+) n=\d+ ns=([0-9.]+)")
MACHINES = [("epyc9654x2", "2 × EPYC 9654"), ("xeon6252x2", "2 × Xeon Gold 6252"),
            ("arm96", "arm64 mesh"), ("xeonx8", "8 × Xeon, 28 cores")]
LIFE = ["flat-single", "flat", "slots", "tree", "tree-fit", "tree-lazy"]
FLAT = ["flat", "flat-split", "flat-batch32", "tree", "tree-fit"]
SHAPES = ["8,8,8", "16,4,8", "16,32", "64,8"]
SHAPE_CPUS = 384
RUN_SECONDS = 60
LARGE_CPUS, LARGE = 1024, {"flat", "slots", "tree"} # the designs of runs as large as that


def run(program, *params):
    """{(design, case, cpus): ns}"""
    try:
        text = subprocess.run([program, "quick", "samples=1", "selftest=none", *params],
                              stdout=subprocess.PIPE, timeout=RUN_SECONDS, check=True).stdout.decode()
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as why:
        print(f"{' '.join(params)}: {why}", file=sys.stderr)
        return {}
    found = [STAT.match(line) for line in text.splitlines()]
    return {(m[2], m[3] or "", int(m[4])): float(m[5]) for m in found if m}


def text_of(ns):
    if ns is None:
        return "–"
    if ns >= 1e6:
        return f"{ns / 1e6:.3g} ms"
    return f"{ns / 1e3:.3g} µs" if ns >= 1e4 else f"{ns:.3g}"


def table(out, rows, columns, value):
    out.append("| design | " + " | ".join(columns) + " |")
    out.append("| --- |" + " ---: |" * len(columns))
    for row in rows:
        out.append(f"| {row} | " + " | ".join(text_of(value(row, c)) for c in columns) + " |")
    out.append("")


def curves(path, title, sizes, series):
    """An SVG of ns/op over CPUs, both logarithmic; nothing where Matplotlib is missing."""
    try:
        import matplotlib
        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "corestorm"
        from matplotlib import pyplot
    except ImportError:
        return False
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name, values in series.items():
        points = [(n, v) for n, v in zip(sizes, values) if v]
        axes.plot(*zip(*points), marker="o", markersize=3, linewidth=1, label=name) if points else None
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("CPUs")
    axes.set_ylabel("ns/op (predicted)")
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=6)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True


def sweep(program, storm, designs, sizes, machine):
    """Each size alone, on a machine of that size: {(design, case, cpus): ns}"""
    cells = {}
    for size in sizes:
        chosen = [d for d in designs if size < LARGE_CPUS or d in LARGE]
        cells.update(run(program, f"machine={machine}", f"smp={size}", f"bench={storm}",
                         f"cpus={size}", f"designs={','.join(chosen)}"))
        print(f"{machine} {storm} {size}: {len(cells)} cells", file=sys.stderr, flush=True)
    return cells


def section(out, folder, program, sizes, storm, case, designs, what):
    columns = [f"{n} CPUs" for n in sizes]
    for machine, title in MACHINES:
        cells = sweep(program, storm, designs, sizes, machine)
        out.append(f"**{title}** (`{machine}`), {what} — predicted\n")
        table(out, designs, columns, lambda d, c: cells.get((d, case, int(c.split()[0]))))
        name = f"{storm}-{machine}.svg"
        series = {d: [cells.get((d, case, n)) for n in sizes] for d in designs}
        if curves(os.path.join(folder, name), f"{title}: {what}", sizes, series):
            out.append(f"![{what}]({os.path.basename(folder)}/{name})\n")


def shapes(out, program):
    out.append(f"## Tree shapes, {SHAPE_CPUS} CPUs\n")
    out.append("`percpu_counter_tree.arity=`, design tree, the 4 counters of one shared object, ns per "
               "update — predicted; ±512 is left out of the quick suite.\n")
    columns = [f"{m} {c}" for m, _ in MACHINES for c in ("+1", "±32")]
    cells = {}
    for shape in SHAPES:
        for machine, _ in MACHINES:
            found = run(program, f"machine={machine}", f"smp={SHAPE_CPUS}", "bench=update",
                        f"cpus={SHAPE_CPUS}", "designs=tree", f"percpu_counter_tree.arity={shape}")
            cells[shape, f"{machine} +1"] = found.get(("tree", "obj=mm/inc=p1", SHAPE_CPUS))
            cells[shape, f"{machine} ±32"] = found.get(("tree", "obj=mm/inc=pm32", SHAPE_CPUS))
    table(out, SHAPES, columns, lambda s, c: cells.get((s, c)))


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/sim/corestorm")
    parser.add_argument("--sizes", default="24,96,384,1024")
    parser.add_argument("--out", default="docs/predictions.md")
    args = parser.parse_args()
    sizes = [int(n) for n in args.sizes.split(",")]
    folder = os.path.splitext(args.out)[0]
    os.makedirs(folder, exist_ok=True)
    out = ["# Predictions", "",
           "Every figure on this page is **predicted** by the simulated machine "
           "([simulated-machine.md](simulated-machine.md) says how far to trust it); none has been "
           "measured. Made by `tools/sim_predictions.py`: quick windows, one sample, one seed, so "
           "cells of contended locks can be off by half. ns per operation of each CPU. Machines "
           "larger than described have more sockets of the same kind.", "",
           "## Lifecycle: init and destroy of 4 counters, all CPUs at once", ""]
    section(out, folder, args.program, sizes, "lifecycle", "ctr=4", LIFE, "init and destroy of 4")
    write(args.out, out)
    out.append("## Update of a shared object, ±32: layouts of the flat counter, and trees\n")
    section(out, folder, args.program, sizes, "update", "obj=mm/inc=pm32", FLAT, "update mm ±32")
    write(args.out, out)
    shapes(out, args.program)
    write(args.out, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
