#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes arch/sim/machines/instructions.csv: what an operation of each storm is made of.

  sim_costs.py INSTRUCTIONS ACCESSES > arch/sim/machines/instructions.csv

INSTRUCTIONS  report of ./run-qemu.sh --icount --smp 1 -- bench=lifecycle,update,read full, and bench=exec,fork quick
              (one instruction is one ns there)
ACCESSES      report of the simulated machine on which each access takes 1 ns and nothing else does:
              build/sim/corestorm smp=1 bench=… quick sim.l1=1 sim.atomic=1 sim.percpu=1
              sim.instruction=0 sim.operation=0 sim.rest=0 sim.tlb=0 sim.cold=0.001 sim.stamp=0.001
              sim.smt_slowdown=1
"""

import sys

import report_cells

# What an operation takes beyond the storm's own work, in the published programs (ns). One figure
# each, fitted on one published cell: docs/simulated-machine.md.
REST_NS = {"exec": 55000}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        cells = report_cells.cells(file.read())
    return {(c.storm, c.design, c.case): units["ns/op"] for c, units in cells.items() if c.cpus == 1}


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    instructions, accesses = read(argv[1]), read(argv[2])
    print("# SPDX-License-Identifier: Apache-2.0")
    print("# Instructions and accesses of one operation on one CPU, and what the published program")
    print("# does beyond it (ns). Made by tools/sim_costs.py from a run under QEMU -icount (x86-64) and")
    print("# one of the simulated machine; no line: the machine's `instructions` figure.")
    print("# storm,design,case,instructions,accesses,rest_ns")
    for key in sorted(instructions):
        if accesses.get(key):
            print(f"{','.join(key)},{instructions[key]:g},{accesses[key]:g},{REST_NS.get(key[0], 0)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
