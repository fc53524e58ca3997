# SPDX-License-Identifier: Apache-2.0
"""What each figure of bench/published.csv is on the simulated machine.

LINES maps the file's (bench, variant, case) to our storm, design and case, the first line that fits
counts. A figure that none fits is an error: nothing is left out silently. When a storm arrives that
is still to come, its line here is all that changes. PAIRS are what two figures say together.

Kinds, as the validation prints them:
  predicted       the model was not chosen by this figure
  fitted          a figure of the model was chosen by it
  exact           arithmetic, not a time: must be equal
  known miss      predicted, outside of what was required, within a band of its own; why is told
  other code      what we run there is not what was published; why is told
  not comparable  what was published contains more than the storm has; why is told
  storm to come   no storm of ours measures it yet
"""

import csv
import dataclasses

from report_cells import Cell

FIGURES = "bench/published.csv"

# As published: description, and the CPUs that the machine had.
MACHINES = {
    "2x EPYC 9654": ("epyc9654x2", 384),
    "2x Xeon 6252": ("xeon6252x2", 96),
    "26 cores": ("xeon6252x2", 26),
    "24 cores 2.1GHz": ("core24", 24),
    "2x E5-2690v4": ("xeone5x2", 56),
}

# Published unit: (value, CPUs) → ns of one operation of one CPU, pages of 4 KiB, or bytes. "MB" of the
# mails are MiB: they call 40,576 pages 158.5MB.
UNITS = {
    "ns/op": lambda value, cpus: value,
    "ns": lambda value, cpus: value,
    "us/event": lambda value, cpus: value * 1000,
    "ops/s": lambda value, cpus: cpus * 1e9 / value,
    "faults/s": lambda value, cpus: cpus * 1e9 / value,
    "faults/s/cpu": lambda value, cpus: 1e9 / value,
    "MiB": lambda value, cpus: value * 256,
    "MB": lambda value, cpus: value * 256,
    "B": lambda value, cpus: value,
}


@dataclasses.dataclass(frozen=True)
class Line:
    """Figures of one bench that are told of in one way."""

    bench: str
    kind: str
    storm: str = ""  # ours; none: to come
    variants: dict = None  # published: our design, or design/beginning of the case; None: any
    cases: dict = None  # published: our case, the rest of it, or several of them; None: any
    unit: str = "ns/op"  # of our report
    cpus: tuple = ()  # only figures of so many; none: any
    on: int = 0  # CPUs that run the storm; 0: as published
    sized: bool = False  # the machine has as many CPUs as the figure says
    within: tuple = None  # required: predicted / published
    eight: bool = False  # one of the eight cells whose mean error is required
    why: str = ""

    def fits(self, row):
        return (row["bench"] == self.bench and (not self.cpus or int(row["cpus"]) in self.cpus)
                and (self.variants is None or row["variant"] in self.variants)
                and (self.cases is None or row["case"] in self.cases))  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two figures of a bench, (variant, case) each, that say more together: what is left out cancels."""

    bench: str
    how: str  # "/" or "−": first by second, or less it
    first: tuple
    second: tuple
    kind: str
    within: tuple = None  # required: the predicted value itself, not against the published one
    cpus: int = 0
    why: str = ""


TREE_AND_FLAT = {"tree": "tree", "flat-batch768": "flat"}
BATCH32 = {"flat-batch32": "flat-batch32"}
MM = {"mm+1": "obj=mm/inc=p1", "mm+-32": "obj=mm/inc=pm32", "mm+-512": "obj=mm/inc=pm512"}
MM_SMALL = {case: MM[case] for case in ("mm+1", "mm+-32")}
PRIVATE = {"private+-32": "obj=private/inc=pm32"}
REQUIRED = 0.6, 1.6

ALONE = "published code calls a function for each CPU's copy that it zeroes, ours stores"
WALK = ("accuracy is a random walk of the counter, not of the machine; it depends on how far the process "
        "hops and maps")
MASKS = ("published mm objects grow with the number of CPUs (their CPU masks), ours do not: compare what "
         "comes on top of the object, below")
SYSCALL = "published is a whole read of /proc/PID/statm, ours the sums alone: the difference, below"
ONE_MISS = ("a walk of 384 lines that no cache has: the model waits for one after the other, where a "
            "processor may have several on their way, or some in a cache")
FORK = "the model has neither the task nor most of the page tables of a fork"
EXECVE = "exec is a whole execve in the figure, our mm's part and `rest_ns` here; the gain below is required"
LAUNCH = ("osbench starts one program after the other and waits; ours is the exec storm's cycle on one CPU "
          "of 96, alone, with the rest of F1's execve")

LINES = [
    Line("update", "predicted", "update", TREE_AND_FLAT, MM, within=REQUIRED, eight=True),
    Line("update", "predicted", "update", BATCH32, MM_SMALL, within=REQUIRED, eight=True),
    Line("update", "predicted", "update", BATCH32, MM),
    Line("update", "fitted", "update", {"flat-batch768": "flat"}, PRIVATE),
    Line("update", "predicted", "update", {"tree": "tree"}, PRIVATE),
    Line("init4", "predicted", "lifecycle", {"tree": "tree", "flat": "flat"},
         {"all-at-once": "ctr=4"}, within=REQUIRED),
    Line("init4", "other code", "lifecycle", {"flat": "flat"}, {"alone": "ctr=4"}, why=ALONE),
    Line("accuracy", "exact", "accuracy", {"tree": "tree/threads=2", "flat": "flat/threads=2"},
         {"bound": ""}, unit="bound-pages"),
    Line("accuracy", "exact", "accuracy", {"tree-lazy-single": "tree-lazy/threads=1"},
         {"measured": ""}, unit="err-pages"),
    Line("accuracy", "predicted", "accuracy",
         {"flat-single": "flat/threads=1", "flat-second-thread": "flat/threads=2",
          "tree-second-thread": "tree/threads=2"}, {"measured": ""}, unit="err-pages", why=WALK),
    Line("memory", "exact", "memory",
         {"lazy-single": "tree-lazy/mm=single", "tree-threaded": "tree/mm=threaded",
          "flat": "flat/mm=single"}, {"per-mm": ""}, unit="B/mm", cpus=(16,), sized=True),
    Line("memory", "not comparable", "memory",
         {"lazy-single": "tree-lazy/mm=single", "tree-threaded": "tree/mm=threaded",
          "flat": "flat/mm=single"}, {"per-mm": ""}, unit="B/mm", sized=True, why=MASKS),
    Line("statm-read", "not comparable", "statm", {"tree-lazy": "tree-lazy", "flat": "flat"},
         {"1000..16000 single": ("mms=1000/threads=1", "mms=16000/threads=1")}, on=1, why=SYSCALL),
    Line("fork-exit", "not comparable", "fork", {"tree-lazy": "tree-lazy", "flat": "flat"},
         {"single child": ""}, on=1, why=FORK),
    Line("precise-sum", "predicted", "read", {"flat": "flat"}, {"one counter": "sum=precise"}, on=1),
    Line("exec", "predicted", "exec", {"single": "flat-single", "grouped": "flat"},
         {"separate static binaries": ""}, why=EXECVE),
    Line("launch", "not comparable", "exec", {"single": "flat-single", "grouped": "flat"},
         {"osbench": ""}, on=1, why=LAUNCH),
    Line("pcp-refill", "storm to come"),
    Line("fault", "storm to come"),
    Line("mqueue-send", "storm to come"),
    Line("mqueue-receive", "storm to come"),
    Line("getppid", "not comparable", why="a null system call; we have none"),
]  # fmt: skip

STATM, FORKS, HOPS = "1000..16000 single", "single child", "measured"
PAIRS = [
    Pair("init4", "/", ("tree", "all-at-once"), ("flat", "all-at-once"), "predicted", within=(0, 1)),
    Pair("exec", "/", ("single", "separate static binaries"), ("grouped", "separate static binaries"),
         "fitted", within=(1.2, 1.7), why="`rest_ns` of exec was chosen by this ratio"),
    Pair("launch", "/", ("single", "osbench"), ("grouped", "osbench"), "not comparable"),
    Pair("launch", "−", ("single", "osbench"), ("grouped", "osbench"), "not comparable"),
    Pair("accuracy", "/", ("tree-second-thread", HOPS), ("flat-second-thread", HOPS), "predicted"),
    Pair("statm-read", "/", ("tree-lazy", STATM), ("flat", STATM), "not comparable"),
    Pair("statm-read", "−", ("flat", STATM), ("tree-lazy", STATM), "predicted", why=ONE_MISS),
    Pair("fork-exit", "/", ("tree-lazy", FORKS), ("flat", FORKS), "not comparable"),
    Pair("fork-exit", "−", ("flat", FORKS), ("tree-lazy", FORKS), "predicted"),
    *(Pair("memory", "−", (variant, "per-mm"), ("lazy-single", "per-mm"), "exact", cpus=cpus)
      for cpus in (16, 384, 1024) for variant in ("tree-threaded", "flat")),
]  # fmt: skip


class Figure:
    """One row of published.csv, and where ours is found: machine, its CPUs, and the report's cells."""

    def __init__(self, row, line):
        self.row, self.line, self.kind = row, line, line.kind
        self.key = row["bench"], row["variant"], row["case"], int(row["cpus"])
        self.name = f"{row['bench']} {row['variant']} {row['case']}"
        if not line.storm:
            return
        if row["machine"] not in MACHINES:
            raise ValueError(f"no description for the machine {row['machine']!r}")
        self.machine, self.smp = MACHINES[row["machine"]]
        self.smp = self.key[3] if line.sized else self.smp
        self.low, self.high = (self._published(text) for text in _ends(row["value"]))
        self.cells = [self._cell(case) for case in self._cases()]

    def _published(self, text):
        return UNITS[self.row["unit"]](float(text), self.key[3])

    def _cases(self):
        cases = (self.line.cases or {}).get(self.row["case"], self.row["case"])
        return (cases,) if isinstance(cases, str) else cases

    def _cell(self, case):
        ours = (self.line.variants or {}).get(self.row["variant"], self.row["variant"])
        design, _, rest = "/".join(filter(None, (ours, case))).partition("/")
        return Cell(self.line.storm, design, rest, self.line.on or self.key[3])


def _ends(text):
    """Of "5300-6500" both, of a plain number the number twice."""
    low, dash, high = text.partition("-")
    return (low, high) if dash else (text, text)


def figures(path=FIGURES):
    """All rows of the file. ValueError: a row that LINES does not know."""
    with open(path, newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    return [figure_of(row) for row in rows]


def figure_of(row):
    line = next((line for line in LINES if line.fits(row)), None)
    if not line:
        names = "/".join(row[name] for name in ("source", "bench", "variant", "case", "cpus"))
        raise ValueError(f"{names}: no line of tools/sim_cells.py says what this figure is here")
    return Figure(row, line)
