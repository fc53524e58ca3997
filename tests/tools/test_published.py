# SPDX-License-Identifier: Apache-2.0
"""tools/published.py: every figure of bench/published.csv gets into the table; odd files are named."""

import csv
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
TOOL = os.path.join(ROOT, "tools", "published.py")
FIGURES = os.path.join(ROOT, "bench", "published.csv")
HEAD = "source,bench,variant,case,cpus,metric,unit,value,machine\n"


def run(path):
    done = subprocess.run([sys.executable, TOOL, path], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_all_figures():
    status, text, _ = run(FIGURES)
    with open(FIGURES, newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    found = re.findall(r'^    \{"(.*?)", "(.*?)", "(.*?)", "(.*?)", (\d+), "(.*?)", "(.*?)", "(.*?)"\},$',
                       text, re.M)
    names = ["source", "bench", "variant", "case", "cpus", "unit", "value", "machine"]
    assert status == 0
    assert found == [tuple(row[name] for name in names) for row in rows]
    assert f"published_nr_rows = {len(rows)};" in text


def test_bad_files(tmp_path):
    bad = {
        "columns": "a,b\n1,2\n",
        "cpus": HEAD + "F2,update,tree,mm+1,many,latency,ns/op,26,x\n",
        "short": HEAD + "F2,update,tree\n",
    }
    for name, text in bad.items():
        path = tmp_path / name
        path.write_text(text)
        status, _, error = run(str(path))
        assert status == 1 and str(path) in error, name


def test_quotes_are_escaped(tmp_path):
    path = tmp_path / "quotes"
    path.write_text(HEAD + 'F2,"a""b\\c",tree,mm+1,1,latency,ns/op,26,x\n')
    status, text, _ = run(str(path))
    assert status == 0 and r'"a\"b\\c"' in text


def test_usage():
    assert subprocess.run([sys.executable, TOOL], capture_output=True).returncode == 2
