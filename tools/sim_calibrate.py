#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a machine description for the simulator out of a real machine's report.

  sim_calibrate.py REPORT --name NAME [--program build/sim/corestorm] > NAME.machine

REPORT is the log of a run with bench=baseline (full or normal, so that its pairs of CPUs are many). Its
`# meta topology=` line gives the shape, its pairs and baseline rows the times: smt, cluster, socket and
far (by the pairs), atomic and percpu (by the rows of one CPU) are changed until the simulator, running
the same storm, gives the same ns. All other figures, and those of the six that the report does not hold
(no pair of CPUs on two sockets, say), are taken from a description of the same kind (--like) and marked so.
Pairs are of the first 8 CPUs; on most machines these decide one or two of the four.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

import report_cells

NAME = re.compile(r"Baseline/(op|pair)=(\S+)$")
TOPOLOGY = re.compile(r"^# meta topology=.*?sockets=(\d+).*?llcs=(\d+).*?cores=(\d+) threads=(\d+)", re.M)
ROUNDS = 6
LEVELS = ("smt", "cluster", "socket", "far")
# Row of the storm → figure that it decides.
ROWS = {"atomic_private": "atomic", "this_cpu_add": "percpu"}


def read(text):
    """({"op" or (a, b): median ns}, of one CPU and of pairs)"""
    found = {}
    for (name, cpus), units in report_cells.medians(text.splitlines()).items():
        m = NAME.match(name)
        if m and m[1] == "pair":
            found[tuple(int(n) for n in m[2].split(","))] = units["ns/op"]
        elif m and cpus == 1:
            found[m[2]] = units["ns/op"]
    return found


def shape_of(text):
    m = TOPOLOGY.search(text)
    if not m:
        sys.exit("the report has no '# meta topology=' line with sockets, llcs, cores and threads")
    sockets, llcs, cores, threads = (int(n) for n in m.groups())
    if cores % llcs or llcs % sockets or threads % cores or threads // cores > 2:
        sys.exit(f"not a regular machine: {m[0]}")
    one = cores // llcs
    if one > 64:  # a mesh: every core is its own cluster
        return {"sockets": sockets, "clusters": cores // sockets, "cores": 1, "threads": threads // cores}
    return {"sockets": sockets, "clusters": llcs // sockets, "cores": one, "threads": threads // cores}


def level(shape, adjacent, a, b):
    cores = shape["sockets"] * shape["clusters"] * shape["cores"]
    core = [n // shape["threads"] if adjacent else n % cores for n in (a, b)]
    if core[0] == core[1]:
        return "smt"
    if core[0] // shape["cores"] == core[1] // shape["cores"]:
        return "cluster"
    per_socket = shape["cores"] * shape["clusters"]
    return "socket" if core[0] // per_socket == core[1] // per_socket else "far"


def by_level(shape, adjacent, values):
    groups = {}
    for key, ns in values.items():
        if isinstance(key, tuple):
            groups.setdefault(level(shape, adjacent, *key), []).append(ns)
    return groups


def numbering(shape, values):
    """1 when siblings have neighbouring numbers: the reading under which levels differ least inside."""
    def spread(adjacent):
        return sum(statistics.pstdev(g) / statistics.mean(g) * len(g)
                   for g in by_level(shape, adjacent, values).values())
    return int(shape["threads"] == 2 and spread(1) < 0.5 * spread(0))


def like(path):
    figures = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split(None, 1)
            if len(words) == 2:
                figures[words[0]] = words[1].strip()
    return figures


def write(path, figures, notes):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0\n")
        for name, value in figures.items():
            note = notes.get(name)
            file.write(f"{name} {value}{'  # ' + note if note else ''}\n")


def simulate(program, path, cpus):
    done = subprocess.run([program, f"machine={path}", "bench=baseline", "selftest=none", "samples=5",
                           f"cpus=1,{cpus}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().split("\n")[-1]
        sys.exit(f"these figures describe no machine; is the report of an emulated or oversubscribed one?\n  {said}")
    return read(done.stdout.decode())


def fit(program, path, figures, notes, shape, measured):
    adjacent = int(figures["threads_adjacent"])
    want = {k: statistics.median(v) for k, v in by_level(shape, adjacent, measured).items()}
    want.update({row: measured[row] for row in ROWS if row in measured})
    for figure in list(LEVELS) + list(ROWS.values()):
        notes[figure] = "not in the report"
    for _ in range(ROUNDS):
        write(path, figures, notes)
        got = simulate(program, path, shape["sockets"] * shape["clusters"] * shape["cores"])
        found = {k: statistics.median(v) for k, v in by_level(shape, adjacent, got).items()}
        found.update({row: got[row] for row in ROWS if row in got})
        for key in want.keys() & found.keys():
            figure = ROWS.get(key, key)
            old = max(float(figures.get(figure, 0)), 0.1)
            new = old * want[key] / found[key] if key in LEVELS else old + want[key] - found[key]
            figures[figure] = f"{max(new, 0):.3g}"
            notes[figure] = f"fitted: {want[key]:g} ns/op in the report, {found[key]:g} simulated"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("--name", required=True)
    parser.add_argument("--program", default="build/sim/corestorm")
    parser.add_argument("--like", help="a description whose figures stand where the report has none")
    args = parser.parse_args()
    with open(args.report, encoding="utf-8", errors="replace") as file:
        text = file.read()
    measured, shape = read(text), shape_of(text)
    if not any(isinstance(key, tuple) for key in measured):
        sys.exit("the report has no pairs: bench=baseline on two CPUs or more")
    path = args.like or os.path.join(os.path.dirname(args.program), "machines", "xeon6252x2.machine")
    figures = like(path)
    notes = {name: f"from {os.path.basename(path)}" for name in figures}
    figures.update({"name": args.name, "model": args.name, **shape,
                    "threads_adjacent": numbering(shape, measured)})
    notes.update({name: None for name in ("name", "model")},
                 **{name: "from the report" for name in (*shape, "threads_adjacent")})
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "fitted.machine")
        fit(args.program, out, figures, notes, shape, measured)
        write(out, figures, notes)
        with open(out, encoding="utf-8") as file:
            sys.stdout.write(file.read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
