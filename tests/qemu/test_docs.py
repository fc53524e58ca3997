# SPDX-License-Identifier: Apache-2.0
"""The examples in docs/ are built as they are printed: one new file each, no other file touched."""

import re

import pytest

import machine


def example(doc):
    """The path and text of the doc's file: a C block whose first lines name it, "/* path: … */" or
    the sentence before it, `path`."""
    text = (machine.ROOT_PATH / "docs" / doc).read_text()
    for block in re.finditer(r"`([\w/]+\.c)`[^`]*?```c\n(.*?)```", text, re.DOTALL):
        if "SPDX-License-Identifier" in block.group(2):
            return block.group(1), block.group(2)
    raise AssertionError(f"docs/{doc} has no whole file: `path.c` and then a block of C")


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
    path, text = example("adding-a-counter.md")
    assert path.startswith("counters/designs/")
    name = re.search(r'\.name = "([\w-]+)"', text).group(1)
    run = machine.hosted("bench=update", "quick", root=tree, smp=2).check_pass(cpus=2)
    tests = [t for t in run.report.tests if t.startswith(f"counter_{name.replace('-', '_')}")
             or t.startswith(f"counter_{name}")]
    assert tests, run.explain()
    assert any(f"design={name}/" in sample[0] for sample in run.report.samples), run.explain()


def test_the_storm_is_measured(tree):
    path, text = example("adding-a-storm.md")
    assert path.startswith("bench/")
    name = re.search(r'\.name = "([\w-]+)"', text[text.index("struct storm ") :]).group(1)
    run = machine.hosted(f"bench={name}", "quick", root=tree, smp=2).check_pass(cpus=2)
    assert {n.lower() for n in run.report.storms()} == {name.lower()}, run.explain()


def test_both_boot_in_the_kernel(tree):
    _, text = example("adding-a-storm.md")
    name = re.search(r'\.name = "([\w-]+)"', text[text.index("struct storm ") :]).group(1)
    run = machine.run(
        [str(tree / "run-qemu.sh"), "--smp", "2", "--timeout", "200", "--", f"bench={name}", "quick"],
        200,
        {},
    )
    run.check_pass(cpus=2)
    assert {n.lower() for n in run.report.storms()} == {name.lower()}, run.explain()
