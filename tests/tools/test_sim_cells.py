# SPDX-License-Identifier: Apache-2.0
"""tools/sim_*.py: each published figure is accounted for, and what is not as required is told."""

import csv
import os
import re
import sys

import pytest

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))

import report_cells  # noqa: E402  (needs the path above)
import sim_cells  # noqa: E402
import sim_compare  # noqa: E402
import sim_predictions  # noqa: E402
import sim_results  # noqa: E402
import sim_runs  # noqa: E402
import sim_sensitivity  # noqa: E402
import sim_validate  # noqa: E402

FIGURES = os.path.join(ROOT, sim_cells.FIGURES)
ROW = {"source": "F2", "bench": "update", "variant": "tree", "case": "mm+1", "cpus": "384",
       "metric": "latency", "unit": "ns/op", "value": "26", "machine": "2x EPYC 9654"}  # fmt: skip


def figure(**changes):
    return sim_cells.figure_of({**ROW, **changes})


def measured(*reports):
    """Of reports of the EPYC machine, one a seed."""
    found = sim_compare.Measured()
    for text in reports:
        found.add("epyc9654x2", 384, text)
    return found


def test_every_figure_is_accounted_for():
    with open(FIGURES, newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    figures = sim_cells.figures(FIGURES)
    assert [f.row for f in figures] == rows
    kinds = re.findall(r"^  (\w[\w ]*?)  +\S", sim_cells.__doc__, re.M)
    assert len(kinds) == 7 and {f.kind for f in figures} <= set(kinds)
    assert all(f.line.why for f in figures if f.kind in ("known miss", "other code", "not comparable"))


@pytest.mark.parametrize("change", [{"bench": "update2"}, {"variant": "tree2"}, {"case": "mm+2"}])
def test_an_unknown_figure_is_an_error(change):
    with pytest.raises(ValueError, match=f"F2/.*{list(change.values())[0].replace('+', '.')}.*no line"):
        figure(**change)


def test_an_unknown_machine_is_an_error():
    with pytest.raises(ValueError, match="no description for the machine 'abacus'"):
        figure(machine="abacus")


def test_a_storm_that_arrives_needs_its_line_only(monkeypatch):
    """As the VMA lock's may: rates become ns, and the plan has its runs."""
    line = sim_cells.Line("fault", "predicted", "fault", {"lock-separate": "vma-separate"}, {"faults/sec": ""})
    monkeypatch.setattr(sim_cells, "LINES", [line, *sim_cells.LINES])
    found = figure(source="F4", bench="fault", variant="lock-separate", case="faults/sec", cpus="4",
                   unit="faults/s", value="1714823.8198", machine="2x E5-2690v4")  # fmt: skip
    assert found.low == pytest.approx(4e9 / 1714823.8198)
    assert sim_compare.plan([found]) == {("xeone5x2", 56, "fault"): ({"vma-separate"}, {4})}


def test_a_range_compares_with_its_nearer_end():
    def ratio(value):
        return sim_compare.Comparison("F2", "statm", "predicted", "ns", 5300, 6500, [value]).text()[5]

    assert (ratio(2650), ratio(6000), ratio(13000)) == ("0.50", "inside", "2.00")


def test_samples_of_a_report():
    text = ("BenchmarkUpdate/design=tree/obj=mm/inc=p1-384 10  20.00 ns/op  3 pages\n"
            "BenchmarkUpdate/design=tree/obj=mm/inc=p1-384 10  5 lines\n"
            "BenchmarkUpdate/design=tree/obj=mm/inc=p1-384 10  30.00 ns/op\n")  # fmt: skip
    cell = report_cells.Cell("update", "tree", "obj=mm/inc=p1", 384)
    assert report_cells.cells(text) == {cell: {"ns/op": 25.0, "pages": 3.0, "lines": 5.0}}


def test_a_cell_out_of_its_band_is_told():
    wrong = []
    reports = [f"BenchmarkUpdate/design=tree/obj=mm/inc=p1-384 10  {ns} ns/op" for ns in (26, 60, 61)]
    found, eight = sim_validate.compare_figures([figure()], measured(*reports), len(reports), wrong)
    assert found[0].text()[4:] == ["60 ns", "2.31", "1.00–2.35"]
    assert len(wrong) == 1 and "2.31 is outside of 0.6 … 1.6" in wrong[0]
    assert "above 1.25" not in sim_validate.judge_eight(eight, wrong)
    assert len(wrong) == 2 and "2.308 is above 1.25" in wrong[1]


REPORTED = "BenchmarkUpdate/design=tree/obj=mm/inc=p1-384 10  26 ns/op"


def test_a_cell_that_was_not_reported_is_told():
    wrong = []
    sim_validate.compare_figures([figure()], measured("", REPORTED), 2, wrong)
    assert wrong == ["update/tree/obj=mm/inc=p1/384: ns/op of it in the reports of 1 seeds of 2"]


def test_an_exact_figure_must_be_equal():
    bound = figure(bench="accuracy", case="bound", unit="MiB", value="158.5")
    for pages, faults in ((40576, 0), (40577, 1)):
        wrong = []
        report = f"BenchmarkAccuracy/design=tree/threads=2-384 1  9 err-pages  {pages} bound-pages"
        found, _ = sim_validate.compare_figures([bound], measured(report), 1, wrong)
        sim_validate.judge_exact(found, wrong)
        assert len(wrong) == faults


def test_a_bottleneck_that_does_not_move_is_told():
    place, wrong = sim_validate.EXEC, []
    sim_validate.judge_exec({(*place, "flat-single"): {"percpu area allocator"},
                             (*place, "flat"): {"lruvec (page release)"}}, wrong)  # fmt: skip
    assert not wrong
    sim_validate.judge_exec({(*place, "flat-single"): {"percpu area allocator"}}, wrong)
    assert len(wrong) == 1 and "none named" in wrong[0]


def test_a_part_of_a_document_is_replaced(tmp_path):
    path = tmp_path / "doc.md"
    path.write_text("# A\n<!-- made: x -->\nold\n<!-- end: x -->\nend\n")
    sim_runs.replace_part(path, "x", ["new"])
    assert path.read_text() == "# A\n<!-- made: x -->\n\nnew\n\n<!-- end: x -->\nend\n"
    with pytest.raises(SystemExit, match="made: y"):
        sim_runs.replace_part(path, "y", ["new"])


def test_shapes_reach_all_cpus():
    for size in (2, 24, 96, 384, 1024, 4096):
        shapes = sim_predictions.shapes_of(size)
        for fan_outs in shapes.values():
            product = 1
            for fan_out in fan_outs.split(","):
                product *= int(fan_out)
            assert product == 1 << (size - 1).bit_length() >= size
    assert sim_predictions.shapes_of(1024)["8s"] == "8,8,16"
    assert sim_predictions.shapes_of(384)["4s reversed"] == "8,4,4,4"


def test_what_a_table_says():
    runs = {(d, n): sim_results.Run("m", n, "update", d) for d in ("flat", "tree") for n in (24, 96, 384)}
    results = sim_results.Results(None)
    for (design, size), values in {("flat", 24): [9, 10], ("flat", 96): [20, 30], ("flat", 384): [50, 60],
                                   ("tree", 24): [20, 21], ("tree", 96): [19, 19], ("tree", 384): [49, 49]}.items():
        results.ns[runs[design, size], "c"] = values
    text = sim_results.reading(results, lambda d, n: runs[d, n], ["flat", "tree"], [24, 96, 384], "c")
    assert text == ("least flat, then tree at 24; tree, then flat at 96–384 CPUs. Below flat: "
                    "tree from 96 CPUs on.")  # fmt: skip
    assert sim_results.cell_text([20, 30]) == "25 (20–30)" and sim_results.cell_text([20, 21]) == "20.5"


def test_a_missing_cell_says_why(tmp_path, monkeypatch):
    """A program that fails leaves dashes and a reason, not a broken page."""
    path = tmp_path / "page.md"
    monkeypatch.setattr(sys, "argv", ["", "--program", "/bin/false", "--sizes", "24", "--out", str(path)])
    assert sim_predictions.main() == 0
    text = path.read_text()
    assert "| init + destroy of 4 | flat | – |" in text and "nothing to tell." in text
    assert re.search(r"\n\nWithout a figure [^|]*epyc9654x2 24 flat;[^|]*: exit 1: without a word\.\n\n", text)


def test_a_change_counts_beyond_the_seeds():
    """+10 % of a cell that varies by 1 %, and of one that varies by 10 %."""
    base, noise = [[0.0] * 7] * 2, [0.01, 0.1]
    found = sim_sensitivity.changes([[0.1] * 3] * 2, base, noise)
    assert [(counts, where) for counts, _, _, where in found] == [(True, "cell 1"), (False, "cell 2")]
    text = " ".join(sim_sensitivity.reading([(["far"], True), (["tlb"], False), (["rho"], None)]))
    assert "): far. Moves no cell by more: tlb. Could not be moved: rho." in text
