# SPDX-License-Identifier: Apache-2.0
"""Counters as the report shows them: bytes and bounds against the published arithmetic, the designs'
promises at every CPU count, shapes and batches given as parameters."""

import glob
import math
import os
import re

import pytest

import machine

TABLE = re.compile(r"# table design=(\S+) cpus=(\d+) bound=(\d+) bytes=(\d+) ours=([01])$")
TABLE_CPUS = 8192


def published_shape(cpus):
    """Fan-outs from the leaves to the root (facts.md F2), written down independently."""
    order = math.ceil(math.log2(cpus)) if cpus > 1 else 0
    if order <= 5:
        return [1 << order]
    if order == 6:
        return [16, 4]
    fan_outs = []
    while order > 4:
        fan_outs.append(8)
        order -= 3
    return fan_outs + [1 << order]


def published_tree(cpus):
    """(error bound, bytes for 4 counters) of the published tree."""
    shape = published_shape(cpus)
    items, batch, bound, lines = math.prod(shape), 32, cpus * 31, 1
    for fan_out in shape[:-1]:
        items //= fan_out
        bound += items * (batch * fan_out - batch)
        batch *= fan_out
        lines += items
    return bound, 4 * cpus + 64 * lines


def published_flat(cpus):
    return cpus * (max(32, 2 * cpus) - 1), 16 * cpus


def samples(run, storm):
    """{(design, case): {unit: value}}; units of one sample may stand in several lines."""
    found = {}
    for name, _, _, values in run.report.samples:
        parts = name.split("/")
        if parts[0] == storm:
            design = parts[1].split("=")[1]
            found.setdefault((design, "/".join(parts[2:])), {}).update(values)
    return found


@pytest.fixture(scope="module")
def table():
    """{design: [(bound, bytes, ours) for 1 … 8192 CPUs]}, also left in build/counter-table.csv."""
    run = machine.hosted(
        "bench=memory", "quick", "selftest=none", f"counter_table={TABLE_CPUS}", smp=2
    ).check_pass()
    designs = {}
    for line in run.report.lines:
        if row := TABLE.match(line):
            design, cpus, bound, size, ours = row.groups()
            rows = designs.setdefault(design, [])
            rows.append((int(bound), int(size), ours == "1"))
            assert int(cpus) == len(rows), line
    out = machine.ROOT_PATH / "build" / "counter-table.csv"
    out.parent.mkdir(exist_ok=True)
    with out.open("w") as csv:
        csv.write("design,cpus,bound,bytes,bound_of_flat,bytes_of_flat\n")
        for design, rows in designs.items():
            for n, (bound, size, _) in enumerate(rows):
                flat = designs["flat"][n]
                csv.write(f"{design},{n + 1},{bound},{size},{flat[0]},{flat[1]}\n")
    return designs


def test_the_table_is_complete(table):
    assert {"flat", "tree", "atomic"} <= set(table)
    assert all(len(rows) == TABLE_CPUS for rows in table.values())


def test_flat_and_tree_are_the_published_at_every_cpu_count(table):
    for cpus in range(1, TABLE_CPUS + 1):
        assert table["flat"][cpus - 1][:2] == published_flat(cpus), cpus
        assert table["tree"][cpus - 1][:2] == published_tree(cpus), cpus


def test_the_published_figures(table):
    assert table["tree"][384 - 1][0] == 40576 and table["flat"][384 - 1][0] == 294528
    assert table["flat-batch32"][384 - 1][0] == 11904
    assert table["tree"][16 - 1][1] == 64 + 64
    assert table["tree"][384 - 1][1] == 1536 + 73 * 64
    assert table["tree"][1024 - 1][1] == 4096 + 145 * 64


def test_the_tree_is_weak_from_33_to_39_cpus_and_above_powers_of_two(table):
    weak = [n + 1 for n, row in enumerate(table["tree"]) if row[0] > table["flat"][n][0]]
    assert weak == list(range(33, 40))
    assert table["tree"][33 - 1][0] == 2943 and table["flat"][33 - 1][0] == 2145
    for cpus, ratio in ((65, 1.28), (129, 1.50), (257, 1.38)):
        # the published ratios are of whole mms' counters with slab rounding: a little above these
        assert ratio - 0.13 < table["tree"][cpus - 1][1] / table["flat"][cpus - 1][1] < ratio + 0.02


def test_ours_are_never_worse_than_flat(table):
    ours = {design: rows for design, rows in table.items() if rows[0][2]}
    for design, rows in ours.items():
        for n, (bound, size, _) in enumerate(rows):
            flat_bound, flat_size, _ = table["flat"][n]
            assert bound <= flat_bound, (design, n + 1)
            assert n + 1 < 16 or size * 10 <= flat_size * 9, (design, n + 1)
    assert ours, "no design promises anything"


def test_memory_measured_on_16_cpus(hosted):
    run = hosted("bench=memory", "quick", "selftest=none", smp=16, mem="1G").check_pass(cpus=16)
    found = samples(run, "Memory")
    tree, flat = found["tree", "mm=threaded"], found["flat", "mm=threaded"]
    assert (tree["percpu-B"], tree["items-B"], tree["above-B"]) == (64, 64, 128)
    assert (flat["percpu-B"], flat["items-B"]) == (256, 0)
    # with the mm object: the published 1948 and 2076 bytes
    assert round(tree["B/mm"]) == 1948 and round(flat["B/mm"]) == 2076
    for (design, case), values in found.items():
        assert values["above-B"] <= 1.5 * values["stated-B"] + 16, (design, case)


def test_lazy_memory_of_a_single_thread(hosted):
    run = hosted("bench=memory", "quick", "selftest=none", smp=16, mem="1G").check_pass()
    found = samples(run, "Memory")
    assert found["tree-lazy", "mm=single"]["above-B"] == 0
    assert round(found["tree-lazy", "mm=single"]["B/mm"]) == 1820
    assert found["tree-lazy", "mm=threaded"]["above-B"] == 128


def test_memory_measured_on_384_cpus(hosted):
    run = hosted(
        "bench=memory", "quick", "selftest=none", smp=384, mem="2G", timeout=300
    ).check_pass(cpus=384)
    tree = samples(run, "Memory")["tree", "mm=threaded"]
    assert (tree["percpu-B"], tree["items-B"]) == (1536, 73 * 64)
    # with the mm's own 1820.4: 1536, and 7 objects of 4672 bytes to 32 KiB; published 6217
    assert abs(tree["B/mm"] - (32768 / 18 + 1536 + 32768 / 7)) < 0.01


@pytest.mark.parametrize("cpus", [2, 33])
def test_errors_stay_within_their_bounds(hosted, cpus):
    run = hosted("bench=accuracy", "quick", "selftest=none", smp=cpus, timeout=600)
    found = samples(run.check_pass(cpus=cpus), "Accuracy")
    for (design, case), values in found.items():
        assert values["err-pages"] <= values["bound-pages"], (design, case)
        assert values.get("sum-err", 0) <= values.get("sum-bound", 0), (design, case)
    assert found["tree", "threads=2"]["bound-pages"] == published_tree(cpus)[0]
    assert found["flat", "threads=2"]["bound-pages"] == published_flat(cpus)[0]
    assert found["tree", "threads=2"]["err-pages"] > 0


@pytest.mark.parametrize("build", ["hosted", "hosted-asan-debug", "hosted-tsan"])
def test_what_else_is_measured(hosted, build):
    run = hosted("bench=churn,statm,fork,read,lifecycle", "selftest=none", "samples=1",
                 "window_us=1000", "cpus=2", build=build, smp=2, timeout=900).check_pass()  # fmt: skip
    assert run.report.storms() == {"Churn", "Statm", "Fork", "Read", "Lifecycle"}, run.explain()
    cases = {case for _, case in samples(run, "Lifecycle")}
    assert cases == {"ctr=4", "ctr=4/threads=1"}
    assert "Sanitizer" not in run.stderr and "runtime error" not in run.stderr, run.explain()
    assert all(values["mms"] > 1 for values in samples(run, "Statm").values())


@pytest.mark.parametrize(
    "param, said",
    [
        ("percpu_counter_tree.arity=7", "power of two from 2 to"),
        ("percpu_counter_tree.arity=", "power of two from 2 to"),
        ("percpu_counter_tree.arity=2,2", "product of the fan-outs is below the number"),
        ("percpu_counter_tree.arity=8;2", "separated by commas"),
        ("percpu_counter_tree.arity=2,2,2,2,2,2,2,2,2", "more than 8 fan-outs"),
        ("rss_stat_batch=33", "the byte of a CPU holds less than the batch"),
        ("rss_stat_batch=0", "the byte of a CPU holds less than the batch"),
        ("rss_stat_batch=256", "the byte of a CPU holds less than the batch"),
        ("rss_stat_batch=x", "the byte of a CPU holds less than the batch"),
    ],
)
def test_wrong_shapes_are_named_and_survived(hosted, param, said):
    run = hosted("bench=accuracy", "quick", "selftest=none", param, smp=9).check_pass()
    name, value = param.split("=", 1)
    assert any(
        re.search(f"{re.escape(name)}={re.escape(value)}: ", w) for w in run.report.warnings
    ), run.explain()
    assert said in " ".join(run.stdout.replace("\n#   ", " ").split()), run.explain()
    assert samples(run, "Accuracy")["tree", "threads=2"]["bound-pages"] == published_tree(9)[0]


def test_shape_and_batch_are_taken(hosted):
    run = hosted("bench=accuracy", "quick", "selftest=counter_tree",
                 "percpu_counter_tree.arity=2,8", "rss_stat_batch=16", smp=9).check_pass()  # fmt: skip
    bound = samples(run, "Accuracy")["tree", "threads=2"]["bound-pages"]
    assert bound == 9 * 15 + 8 * (32 - 16)


# Millions of operations on several CPUs at once, each design: sums, bounds, orders, histories. Where
# CPUs take turns all of them together make as many as eight would (core/selftest.h).
@pytest.mark.full
@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
@pytest.mark.parametrize("smp", [2, 8, 64])
def test_all_self_tests_on_machines(qemu, arch, smp):
    run = qemu("selftest=full", "bench=none", arch=arch, smp=smp, timeout=900).check_pass(cpus=smp)
    designs = glob.glob(os.path.join(machine.ROOT, "counters/designs/*.c"))
    instants = [name for name in run.report.tests if ".cinstant_" in name]
    assert designs and len(instants) == 3 * len(designs), run.explain()
