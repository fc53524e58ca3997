#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays the simulated machine's predictions beside the published figures.

  sim_validate.py [--seeds N] [--storms update,lifecycle,exec] [--samples 3] [--quick] [--program PATH]
  sim_validate.py --sensitivity [--figures cluster,far,…]

For every cell of bench/published.csv that has a number of CPUs and a storm (update, lifecycle, exec)
the storm is run under N seeds (5); the prediction is the median over the seeds of each run's median.
Printed: a table in Markdown. "other code": what we run there is not what was published. "miss": the
cell was required within 0.6 … 1.6 and is not; the reason is printed with it. Exit 1 when one of the
eight update cells is outside of 0.6 … 1.6, their geometric mean error is above 1.25, a missing cell
leaves the band MISS that it is known for (also to the better: then this list is to be corrected), tree
does not cost less than flat in init4, or grouping does not gain 1.2 … 1.7 in exec with the bottleneck
moving. --sensitivity: instead, each figure of the EPYC machine alone 20 % up and down, the eight
update cells, one sample, one seed.
"""

import argparse
import math
import re
import statistics
import subprocess
import sys

STAT = re.compile(r"^# stat (\S+?)/design=([^/\s]+?)(?:/(\S+?))?-(\d+) n=\d+ ns=([0-9.]+)")
BOTTLENECK = re.compile(r'^# bottleneck of (\S+?)/(\S+) on \d+ CPUs?: (?:no lock.*most: )?"([^"]+)"')

# machine, storm, design, case, CPUs, published ns/op, source, kind. "fitted": a figure of the
# description was chosen by it; "update": one of the eight cells that are required to be predicted.
EPYC = ("epyc9654x2", 384)
CELLS = [
    (EPYC, "update", "tree", "obj=mm/inc=p1", 384, 26, "F2", "update"),
    (EPYC, "update", "tree", "obj=mm/inc=pm32", 384, 135, "F2", "update"),
    (EPYC, "update", "tree", "obj=mm/inc=pm512", 384, 1174, "F2", "update"),
    (EPYC, "update", "flat", "obj=mm/inc=p1", 384, 288, "F2", "update"),
    (EPYC, "update", "flat", "obj=mm/inc=pm32", 384, 385, "F2", "update"),
    (EPYC, "update", "flat", "obj=mm/inc=pm512", 384, 20229, "F2", "update"),
    (EPYC, "update", "flat-batch32", "obj=mm/inc=p1", 384, 4370, "F2", "update"),
    (EPYC, "update", "flat-batch32", "obj=mm/inc=pm32", 384, 69171, "F2", "update"),
    (EPYC, "update", "flat-batch32", "obj=mm/inc=pm512", 384, 69186, "F2", "predicted"),
    (EPYC, "update", "flat", "obj=private/inc=pm32", 384, 20, "F2", "fitted"),
    (EPYC, "update", "tree", "obj=private/inc=pm32", 384, 31, "F2", "predicted"),
    (EPYC, "lifecycle", "tree", "ctr=4", 384, 874000, "F2", "miss"),
    (EPYC, "lifecycle", "flat", "ctr=4", 384, 1004000, "F2", "miss"),
    (("epyc9654x2", 384), "lifecycle", "flat", "ctr=4", 1, 6000, "F2", "other code"),
    (("xeon6252x2", 26), "exec", "flat-single", "", 26, 194694, "F1", "predicted"),
    (("xeon6252x2", 26), "exec", "flat", "", 26, 139739, "F1", "predicted"),
]
MISS = 0.3, 0.6
WHY_MISSED = ("our init and destroy of 4 take 806 instructions where Linux takes 2159 (README: 0.37), under "
              "a lock that costs fewer transfers: it is our code that is faster, and the published code "
              "is not what runs here")
FIGURES = ["cluster", "socket", "far", "cluster_busy", "home_busy", "alpha", "rho", "l1", "atomic",
           "instruction", "smt_slowdown", "operation", "tlb", "store_buffer", "jitter"]


def run(args, machine, storm, seed, extra=()):
    """({(design, case, cpus): ns}, {design: bottleneck}) of one run."""
    sizes = sorted({c[4] for c in CELLS if c[0] == machine and c[1] == storm})
    designs = sorted({c[2] for c in CELLS if c[0] == machine and c[1] == storm})
    command = [args.program, f"machine={machine[0]}", f"smp={machine[1]}", f"bench={storm}", f"seed={seed}",
               "selftest=none", f"designs={','.join(designs)}", f"samples={args.samples}",
               f"cpus={','.join(map(str, sizes))}", *extra]
    if args.quick:
        command.append("quick")
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    cells, locks = {}, {}
    for line in text.splitlines():
        found = STAT.match(line)
        if found:
            cells[found[2], found[3] or "", int(found[4])] = float(found[5])
        found = BOTTLENECK.match(line)
        if found:
            locks[found[2]] = found[3]
    return cells, locks


def predictions(args):
    """{cell index: [ns of each seed]}, {design: bottleneck of exec}"""
    values, locks = {}, {}
    for machine, storm in sorted({(c[0], c[1]) for c in CELLS if c[1] in args.storms}):
        for seed in range(1, args.seeds + 1):
            cells, found = run(args, machine, storm, seed)
            if storm == "exec":
                locks = found
            for i, cell in enumerate(CELLS):
                key = cell[2], cell[3], cell[4]
                if (cell[0], cell[1]) == (machine, storm) and key in cells:
                    values.setdefault(i, []).append(cells[key])
    return values, locks


def ratio_of(values, i):
    return statistics.median(values[i]) / CELLS[i][5]


def geometric_error(ratios):
    return math.exp(sum(abs(math.log(r)) for r in ratios) / len(ratios))


def pick(values, *kinds):
    return {i: ratio_of(values, i) for i in values if CELLS[i][7] in kinds}


def print_table(values):
    print("| machine | storm | design | case | CPUs | published ns | predicted | ratio | seeds | |")
    print("| --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- |")
    for i, (machine, storm, design, case, cpus, published, source, kind) in enumerate(CELLS):
        if i not in values:
            continue
        spread = f"{min(values[i]) / published:.2f}–{max(values[i]) / published:.2f}"
        kind = "predicted" if kind == "update" else kind
        print(f"| {machine[0]} | {storm} | {design} | {case} | {cpus} | {published} | "
              f"{statistics.median(values[i]):.4g} | {ratio_of(values, i):.2f} | {spread} | {kind} |")


def judge_update(values, wrong):
    update = pick(values, "update")
    wrong += [f"{'/'.join(CELLS[i][1:4])}: {r:.2f} is outside of 0.6 … 1.6"
              for i, r in update.items() if not 0.6 <= r <= 1.6]
    error = geometric_error(update.values())
    print(f"\nGeometric mean error of the {len(update)} update cells: {error:.3f}.")
    if error > 1.25:
        wrong.append(f"geometric mean error {error:.3f} is above 1.25")


def judge_lifecycle(values, ns, wrong):
    for i, ratio in pick(values, "miss").items():
        name = "/".join(CELLS[i][1:4])
        print(f"\nMiss: {name} at {CELLS[i][4]}: {ratio:.2f}, outside of 0.6 … 1.6: {WHY_MISSED}.")
        if not MISS[0] <= ratio <= MISS[1]:
            wrong.append(f"{name}: {ratio:.2f} is outside of {MISS[0]} … {MISS[1]}, its known miss")
    tree, flat = ns["lifecycle", "tree", "ctr=4"], ns["lifecycle", "flat", "ctr=4"]
    print(f"\ninit and destroy of 4: tree / flat {tree / flat:.2f} (published 0.87).")
    if tree >= flat:
        wrong.append("init4: tree does not cost less than flat")


def judge_exec(ns, locks, wrong):
    gain = ns["exec", "flat-single", ""] / ns["exec", "flat", ""]
    print(f"\nexec at 26: grouping gains {gain:.2f} (published 1.39); bottleneck: "
          f"{locks.get('flat-single')} → {locks.get('flat')}.")
    if not 1.2 <= gain <= 1.7 or "allocator" not in locks.get("flat-single", "") or \
            "lruvec" not in locks.get("flat", ""):
        wrong.append("exec: the gain of grouping, or the bottleneck, is not as published")


def judge(values, locks, storms):
    """What is required and does not hold."""
    wrong = []
    ns = {CELLS[i][1:4]: statistics.median(values[i]) for i in values if CELLS[i][4] > 1}
    if "update" in storms:
        judge_update(values, wrong)
    if "lifecycle" in storms:
        judge_lifecycle(values, ns, wrong)
    if "exec" in storms:
        judge_exec(ns, locks, wrong)
    return wrong


def sensitivity(args):
    """Each figure alone 20 % up and down: what becomes of the eight cells."""
    print("| figure × | 0.8: mean error | ratios | 1.2: mean error | ratios |")
    print("| --- | ---: | --- | ---: | --- |")
    text = subprocess.run([args.program, "machine=epyc9654x2", "bench=none", "selftest=none"],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    for figure in args.figures:
        base = re.search(rf"^# meta model .*\b{figure}=([0-9.]+)", text, re.MULTILINE)
        row = [figure]
        for factor in (0.8, 1.2):
            value = float(base[1]) * factor
            value = round(value) if figure == "store_buffer" else min(value, 1) if figure in (
                "alpha", "rho") else value
            cells, _ = run(args, EPYC, "update", 1, [f"sim.{figure}={value:g}"])
            ratios = [cells[c[2], c[3], c[4]] / c[5] for c in CELLS if c[7] == "update"]
            row += [f"{geometric_error(ratios):.2f}", " ".join(f"{r:.2f}" for r in ratios)]
        print(f"| {' | '.join(row)} |", flush=True)


def listed(text):
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--storms", type=listed, default=["update", "lifecycle", "exec"])
    parser.add_argument("--quick", action="store_true", help="the quick suite's windows and cases")
    parser.add_argument("--sensitivity", action="store_true")
    parser.add_argument("--figures", type=listed, default=FIGURES)
    parser.add_argument("--program", default="build/sim/corestorm")
    args = parser.parse_args()
    args.samples = args.samples or (1 if args.sensitivity else 3)
    if args.sensitivity:
        sensitivity(args)
        return 0
    values, locks = predictions(args)
    print_table(values)
    wrong = judge(values, locks, args.storms)
    for what in wrong:
        print(f"not as required: {what}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
