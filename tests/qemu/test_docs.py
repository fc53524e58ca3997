# SPDX-License-Identifier: Apache-2.0
"""The examples in docs/ are added as their pages say: one new file each, no other file touched."""

import re

import pytest

import machine


def example(doc):
    """Where the doc's one command "cp docs/examples/NAME.c FOLDER/" puts it, and its text."""
    text = (machine.ROOT_PATH / "docs" / doc).read_text()
    source, folder = re.search(r"^ *cp (docs/examples/\S+\.c) (\S+)/$", text, re.M).groups()
    source = machine.ROOT_PATH / source
    return f"{folder}/{source.name}", source.read_text()


def storm_name():
    _, text = example("adding-a-storm.md")
    return re.search(r'\.name = "([\w-]+)"', text[text.index("struct storm ") :]).group(1)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """One copy of the tree with both examples in it."""
    copy = machine.copy_tree(tmp_path_factory.mktemp("docs") / "tree")
    for doc in ("adding-a-counter.md", "adding-a-storm.md"):
        path, text = example(doc)
        assert not (copy / path).exists(), f"{path} is in the tree already"
        (copy / path).write_text(text)
    for target in ("hosted", "kernel"):
        built = machine.make(copy, target)
        assert built.returncode == 0, built.stdout + built.stderr
    return copy


def test_the_counter_is_tested_and_measured(tree):
    _, text = example("adding-a-counter.md")
    name = re.search(r'COUNTER_DESIGN\("([\w-]+)"', text).group(1)
    run = machine.hosted("bench=update", "quick", root=tree, smp=2).check_pass(cpus=2)
    assert any(test.startswith(f"counter_{name}.") for test in run.report.tests), run.explain()
    assert any(f"design={name}/" in sample[0] for sample in run.report.samples), run.explain()


def test_the_storm_is_measured(tree):
    name = storm_name()
    run = machine.hosted(f"bench={name}", "quick", root=tree, smp=2).check_pass(cpus=2)
    assert {n.lower() for n in run.report.storms()} == {name.lower()}, run.explain()


def test_both_boot_in_the_kernel(tree):
    name = storm_name()
    run = machine.run(
        [str(tree / "run-qemu.sh"), "--smp", "2", "--timeout", "200", "--", f"bench={name}", "quick"],
        200,
        {},
    )
    run.check_pass(cpus=2)
    assert {n.lower() for n in run.report.storms()} == {name.lower()}, run.explain()
