# SPDX-License-Identifier: Apache-2.0
"""Which storms and designs are measured is the user's choice; names that are none are told."""

import re


def designs_of(run):
    names = (re.search(r"design=([a-z][a-z0-9-]*?)(?:-\d+$|/)", n) for n in run.report.medians())
    return {m.group(1) for m in names if m}


def test_designs_are_the_columns(hosted):
    run = hosted("bench=lifecycle", "designs=tree,flat", "quick", "selftest=none", smp=2,
                 timeout=120).check_pass()
    assert designs_of(run) == {"flat", "tree"}, run.explain()


def test_unknown_names_are_told_and_left_out(hosted):
    run = hosted("bench=lifecycle,bogus", "designs=tree,treee", "quick", "selftest=none", smp=2,
                 timeout=120).check_pass()
    said = " ".join(run.stdout.replace("\n#  ", "").split())
    assert 'no storm "bogus", it is left out' in said and "storms there are: all, none," in said, run.explain()
    assert 'no design "treee", it is left out' in said and "designs there are: all," in said, run.explain()
    assert designs_of(run) == {"tree"}, run.explain()


def test_no_known_name_leaves_the_default(hosted):
    run = hosted("bench=none", "designs=treee", smp=1, timeout=60).check_pass()
    said = " ".join(run.stdout.replace("\n#  ", "").split())
    assert 'no design "treee", it stays all' in said and "designs there are: all," in said, run.explain()


def test_unknown_test_subjects_are_told(hosted):
    run = hosted("bench=none", "selftest=crc32,bogus", smp=1, timeout=60).check_pass()
    said = " ".join(run.stdout.replace("\n#  ", "").split())
    assert 'no test subject "bogus", it is left out' in said, run.explain()
    assert "test subjects there are: quick, full, none, acpi," in said and "counter_tree-topo" in said, run.explain()
