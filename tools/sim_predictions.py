#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/predictions.md: what the simulated machine predicts and nobody has published.

  sim_predictions.py [--sizes 24,96,384,1024] [--seeds 2] [--seconds 600] [--out PATH] [--program PATH]

Lifecycle of the designs, update of a shared object by the flat counter's layouts and their rivals, and
tree shapes, on four machines. All text of the page is made here, from the runs: what each table shows,
how far the seeds differ, and why a cell is missing. Two runs at a time, one design a run. The page of all
sizes takes about 45 minutes of CPU time with one seed, some 25 on two cores.
The curves need Matplotlib (tools/deps.sh curves); without, the page says that they are missing.
"""

import argparse
import os
import sys
import time

import sim_curves
import sim_runs
from sim_results import LARGE, NEAR, WIDE, Results, Run, cell_text, least, reading, spans, spread, text_of

MACHINES = {"epyc9654x2": "2 × EPYC 9654", "xeon6252x2": "2 × Xeon Gold 6252", "arm96": "arm64 mesh",
            "xeonx8": "8 × Xeon, 28 cores"}  # fmt: skip
LIFE = ["flat-single", "flat", "flat-split", "slots", "tree", "tree-fit", "tree-topo", "tree-lazy"]
LAYOUTS = ["flat", "flat-split", "flat-batch32", "slots", "tree", "tree-fit", "tree-topo"]
LEFT_OUT = ["flat-single", "flat-split", "tree-topo"]  # of lifecycle's largest runs, for the time they take
CREATE = {"init + destroy of 4": "ctr=4"}
CASES = {"+1": "obj=mm/inc=p1", "±32": "obj=mm/inc=pm32", "±512": "obj=mm/inc=pm512"}
ORDERS = range(2, 7)  # of the fan-outs of the shapes: 4 … 64


def section(out, results, storm, designs, cases):
    args = results.args
    left_out = LEFT_OUT if storm == "lifecycle" and max(args.sizes) >= LARGE else []
    results.measure([Run(m, n, storm, d) for m in MACHINES for n in args.sizes for d in designs
                     if n < LARGE or d not in left_out], args.seeds)  # fmt: skip
    if args.seeds > 1:
        out.append(f"Largest of {args.seeds} seeds / smallest, in the cell where it is most: "
                   f"{spread(results, designs)}; from {LARGE} CPUs on one seed.\n")  # fmt: skip
    if left_out:
        out.append(f"Not run from {LARGE} CPUs on (–): {', '.join(left_out)}.\n")
    for machine, title in MACHINES.items():
        def runs_of(design, size, machine=machine):
            return Run(machine, size, storm, design)

        out.append(f"**{title}** (`{machine}`), ns — predicted\n")
        rows = [[name, design, *(cell_text(results.ns.get((runs_of(design, n), case))) for n in args.sizes)]
                for name, case in cases.items() for design in designs]  # fmt: skip
        out += sim_runs.table(["", "design"] + [f">{n} CPUs" for n in args.sizes], rows)
        out.append("")
        out += [f"{name}: {reading(results, runs_of, designs, args.sizes, case)}\n"
                for name, case in cases.items()]  # fmt: skip
        panels = [(name, {d: [results.median(runs_of(d, n), case) for n in args.sizes] for d in designs})
                  for name, case in cases.items()]  # fmt: skip
        curves(out, args, f"{storm}-{machine}", title, panels)
    tell_missing(out, results, storm)


def curves(out, args, name, title, panels):
    folder = os.path.splitext(args.out)[0]
    os.makedirs(folder, exist_ok=True)
    why_not = sim_curves.draw(os.path.join(folder, f"{name}.svg"), title, args.sizes, panels)
    image = f"![{title}, predicted]({os.path.basename(folder)}/{name}.svg)"
    out.append(f"No curve: {why_not}.\n" if why_not else f"{image}\n")


def tell_missing(out, results, storm):
    whys = {}
    for run, why in results.missing.items():
        if run.storm == storm:
            whys.setdefault(why, []).append(f"{run.machine} {run.size} {run.design} {run.arity}".strip())
    out += [f"Without a figure (–, or of fewer seeds): {'; '.join(runs)}: {why}.\n"
            for why, runs in whys.items()]  # fmt: skip
    results.missing = {run: why for run, why in results.missing.items() if run.storm != storm}


def shape(order, all_orders, is_reversed):
    """Fan-outs of 2^order each from the leaves on, what remains at the root (1: in the last); of
    all_orders together. None: too wide."""
    levels = [order] * (all_orders // order)
    remain = all_orders % order
    if not levels:
        return None
    if remain == 1:
        levels[-1] += 1
    elif remain:
        levels.append(remain)
    return ",".join(str(1 << k) for k in (reversed(levels) if is_reversed else levels))


def shapes_of(size):
    """{name of the rule: fan-outs} at so many CPUs, of which the number is rounded up to 2^n."""
    all_orders = (size - 1).bit_length()
    rules = {f"{1 << k}s{' reversed' if r else ''}": shape(k, all_orders, r)
             for r in (False, True) for k in ORDERS}  # fmt: skip
    rules = {name: fan_outs for name, fan_outs in rules.items() if fan_outs}
    return {name: fan_outs for name, fan_outs in rules.items()
            if "reversed" not in name or fan_outs != rules[name.split()[0]]}  # fmt: skip


def shape_section(out, results):
    args = results.args
    fan_outs = {n: shapes_of(n) for n in args.sizes}
    names = list(dict.fromkeys(name for n in args.sizes for name in fan_outs[n]))
    results.measure({Run(m, n, "update", "tree", s) for m in MACHINES for n in args.sizes
                     for s in fan_outs[n].values()}, 1)  # fmt: skip
    out.append("`percpu_counter_tree.arity=`, design tree, one seed (above: how far the seeds of tree "
               "differ). The published rule is \"8s\" from 65 CPUs on. The shapes:\n")  # fmt: skip
    heads = ["fan-outs"] + [f"{n} CPUs" for n in args.sizes]
    out += sim_runs.table(heads, [[name, *(fan_outs[n].get(name, "–") for n in args.sizes)]
                                  for name in names])  # fmt: skip
    out.append("")
    for machine in MACHINES:
        shapes_of_machine(out, results, machine, fan_outs, names)
    tell_missing(out, results, "update")


def shapes_of_machine(out, results, machine, fan_outs, names):
    sizes, title = results.args.sizes, MACHINES[machine]

    def median(n, arity, case):
        return results.median(Run(machine, n, "update", "tree", arity), case) if arity else None

    def triple(n, arity):
        values = [median(n, arity, case) for case in CASES.values()]
        return " / ".join(text_of(v) if v else "–" for v in values) if any(values) else "–"

    out.append(f"**{title}** (`{machine}`), ns at {' / '.join(CASES)} — predicted\n")
    out += sim_runs.table(["fan-outs"] + [f">{n} CPUs" for n in sizes],
                          [[name, *(triple(n, fan_outs[n].get(name)) for n in sizes)]
                           for name in names])  # fmt: skip
    out.append("")
    for label, case in CASES.items():
        best = {n: least({f"`{arity}`": median(n, arity, case) for arity in fan_outs[n].values()})
                for n in sizes}  # fmt: skip
        out.append(f"{label}: least {spans(best)} CPUs.\n" if any(best.values())
                   else f"{label}: nothing to tell.\n")  # fmt: skip
    panels = [(label, {name: [median(n, fan_outs[n].get(name), case) for n in sizes] for name in names})
              for label, case in CASES.items()]  # fmt: skip
    curves(out, results.args, f"shapes-{machine}", f"{title}, tree shapes", panels)


HEAD = """\
Every figure on this page is **predicted** by the simulated machine ([simulated-machine.md](simulated-machine.md)
says how far to trust it); none has been measured. Made by `tools/sim_predictions.py` in {minutes:.0f} minutes
({cpu_seconds:.0f} s of CPU time), {seeds} and one sample each; a cell is the median, with both ends in
brackets where they are more than {wide:.0%} apart. ns per operation of each CPU, all CPUs at once. Lifecycle:
quick windows; update: the normal suite's. A machine of fewer CPUs than described is its first ones, one of more
has further sockets of the same kind. A run that takes longer than {seconds} s is given up: its cells are –, and
are told of below the tables. Named as least is what is within {near:.0%} of the least, then what is within as
much of the next.
"""


def page(results, begun, out):
    args = results.args
    seeds = "one seed" if args.seeds == 1 else f"{args.seeds} seeds"
    head = HEAD.replace("\n", " ").format(
        minutes=(time.monotonic() - begun) / 60, cpu_seconds=sim_runs.cpu_seconds(), seeds=seeds,
        seconds=args.seconds, wide=WIDE - 1, near=NEAR - 1)  # fmt: skip
    with open(args.out, "w", encoding="utf-8") as file:
        file.write("\n".join(sim_runs.wrapped(["# Predictions", "", head, "", *out])).rstrip() + "\n")


def listed(text):
    return [int(n) for n in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--program", default=sim_runs.PROGRAM)
    parser.add_argument("--sizes", type=listed, default=[24, 96, 384, 1024])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=600, help="that a run may take")
    parser.add_argument("--out", default="docs/predictions.md")
    results, begun, out = Results(parser.parse_args()), time.monotonic(), []
    out += ["## Lifecycle: init and destroy of 4 counters", ""]
    section(out, results, "lifecycle", LIFE, CREATE)
    page(results, begun, out)
    out += ["## Update of the 4 counters of a shared object: layouts of the flat counter, and its rivals", ""]
    section(out, results, "update", LAYOUTS, CASES)
    page(results, begun, out)
    out += ["## Tree shapes", ""]
    shape_section(out, results)
    page(results, begun, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
