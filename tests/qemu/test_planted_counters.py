# SPDX-License-Identifier: Apache-2.0
"""Tests of the counters' tests: one fault at a time is planted in a copy of the tree, and the counters'
self-tests must find it."""

import re
import subprocess

import pytest

import machine

# What a planted fault needs: the counters, their tests, and a storm so that there is one.
NOT_NEEDED = ["bench/storms/*.c", "bench/design_storms/*.c", "tests/kernel/*.c", "tests/kernel/*/*"]
NEEDED = ["bench/design_storms/read.c", "tests/kernel/counters_*.c", "tests/kernel/simulated_tree.c"]

# name: (file, text, text with the fault, build); blanks and line ends do not matter in the text.
PLANTED = {
    "carry lost at the leaf": (
        "counters/tree.c",
        "    if (carry)\n        tree_carry(",
        "    if (carry > 0)\n        tree_carry(",
        "",
    ),
    "bound off by one": (
        "counters/tree_shape.c",
        "uint64_t bound = (uint64_t)shape->nr_cpus * (shape->batch - 1);",
        "uint64_t bound = (uint64_t)shape->nr_cpus * (shape->batch - 1) - 1;",
        "",
    ),
    "carry lost at an item": (
        "counters/tree_items.c",
        "        if (!amount)\n            return;",
        "        if (amount <= 0)\n            return;",
        "",
    ),
    "comparison swapped": (
        "counters/compare.h",
        "return (a > b) - (a < b);",
        "return (a < b) - (a > b);",
        "",
    ),
    "margin off by one": (
        "counters/compare.h",
        "return distance > margin ?",
        "return distance >= margin ?",
        "",
    ),
    "margin of one counter for two (tree)": (
        "counters/tree.c",
        "tree_shape_error_bound(&a->kind->shape) + tree_shape_error_bound(&b->kind->shape);",
        "tree_shape_error_bound(&a->kind->shape);",
        "",
    ),
    "margin of one counter for two (flat)": (
        "counters/flat.c",
        "2 * flat_error_bound(nr_cpus, batch)",
        "flat_error_bound(nr_cpus, batch)",
        "",
    ),
    "bound of flat off by one": (
        "counters/flat.h",
        "return (uint64_t)cpus * (uint64_t)(batch - 1);",
        "return (uint64_t)cpus * (uint64_t)(batch - 1) - 1;",
        "",
    ),
    "leaf or item holds one more": (
        "counters/tree_items.h",
        "    const uint64_t limit = batch - 1;",
        "    const uint64_t limit = batch;",
        "",
    ),
    "carries in flight not counted": (
        "counters/tree_shape.c",
        "    return shape->nr_cpus * passed_at_most(largest, batch);",
        "    return 0 * passed_at_most(largest, batch);",
        "",
    ),
    "part counted twice by a fold": (
        "counters/flat.c",
        "    this_cpu_add_s32(counter->area, -part);\n",
        "",
        "",
    ),
    "part of a dead CPU lost": (
        "counters/flat.c",
        "        flat_count_add(counter, flat_part_read(flat_part(counter->area, cpu)));\n",
        "",
        "",
    ),
    "publish order missing": (
        "counters/tree_lazy.c",
        "made[i].area, __ATOMIC_RELEASE);",
        "made[i].area, __ATOMIC_RELAXED);",
        "tsan",
    ),
}
IN_MAKE_TEST = {"carry lost at the leaf", "bound off by one"}


def remove_what_is_not_needed(tree):
    needed = {path for pattern in NEEDED for path in tree.glob(pattern)}
    for pattern in NOT_NEEDED:
        for path in tree.glob(pattern):
            if path not in needed and path.is_file():
                path.unlink()


def build_and_test(tree, san):
    """(build succeeded, Run of the counters' tests)."""
    built = machine.make(tree, "hosted", *([f"SAN={san}"] if san else []))
    assert built.returncode == 0, built.stdout + built.stderr
    name = "hosted" + (f"-{san}" if san else "")
    return machine.hosted("bench=none", "selftest=quick", build=name, root=tree, smp=4, mem="256M")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The copy without faults, built, and its tests pass."""
    copy = machine.copy_tree(tmp_path_factory.mktemp("planted") / "tree")
    remove_what_is_not_needed(copy)
    build_and_test(copy, "").check_pass()
    return copy


def planted_params():
    for name in PLANTED:
        marks = [] if name in IN_MAKE_TEST else [pytest.mark.full]
        yield pytest.param(name, marks=marks, id=name.replace(" ", "-"))


@pytest.mark.parametrize("name", planted_params())
def test_planted_fault_is_found(tree, name):
    path, right, wrong, san = PLANTED[name]
    text = (tree / path).read_text()
    place = re.compile(r"\s+".join(re.escape(word) for word in right.split()))
    assert len(place.findall(text)) == 1, f"{path} no longer has the place of this fault, once"
    if san:
        build_and_test(tree, san).check_pass()
    (tree / path).write_text(place.sub(lambda _: wrong.strip(), text))
    try:
        run = build_and_test(tree, san)
    except subprocess.TimeoutExpired:
        return  # a test that hangs has found it as well
    finally:
        (tree / path).write_text(text)
    assert run.status != 0, run.explain()
    failed = [test for test, passed in run.report.tests.items() if not passed]
    assert "ThreadSanitizer" in run.stderr if san else failed, run.explain()
    assert all(test.startswith("counter_") for test in failed), failed
