# SPDX-License-Identifier: Apache-2.0
"""Runs of the simulated machine for the tools, two at a time, and the parts of documents made from them."""

import concurrent.futures
import math
import re
import resource
import subprocess
import sys
import textwrap

PROGRAM = "build/sim/corestorm"
AT_A_TIME = 2


class Failed(Exception):
    """A run without a whole, passing report; the text says why, in words for a table's foot."""


def run(program, params, seconds=600):
    """The report."""
    command = [program, "selftest=none", *params]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds,
                              check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"not done in {seconds} s") from None
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        said = re.findall(r"^# (?:warning: |verdict: |panic).*", text, re.M)
        said = done.stderr.decode(errors="replace").splitlines()[-1:] or said[-1:] or ["without a word"]
        raise Failed(f"exit {done.returncode}: {said[0]}")
    return text


def run_all(program, jobs, seconds=600, tell=False):
    """The reports of jobs (lists of parameters), or Failed, in their order. tell: of each that ends."""
    def one(job):
        try:
            return run(program, job, seconds)
        except Failed as why:
            return why
        finally:
            if tell:
                sys.stderr.write(" ".join(job) + "\n")

    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(one, jobs))


def cpu_seconds():
    """Of all runs so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def geometric_error(ratios):
    return math.exp(sum(abs(math.log(r)) for r in ratios) / len(ratios))


def table(heads, rows):
    """A Markdown table; heads that begin with ">" are aligned to the right."""
    yield "| " + " | ".join(head.lstrip(">") for head in heads) + " |"
    yield "| " + " | ".join("---:" if head.startswith(">") else "---" for head in heads) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def wrapped(lines):
    """Prose in lines of a document's width; tables and pictures as they are."""
    for line in lines:
        if line[:1] in ("|", "!", ""):
            yield line
            continue
        indent, end = "  " * line.startswith("- "), "\n" * line.endswith("\n")
        yield textwrap.fill(line, 110, subsequent_indent=indent, break_long_words=False,
                            break_on_hyphens=False) + end  # fmt: skip


def replace_part(path, name, lines):
    """Writes lines between a document's two comments "<!-- made: NAME -->" and "<!-- end: NAME -->"."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = f"<!-- made: {name} -->\n", f"<!-- end: {name} -->\n"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
        raise SystemExit(f"{path}: expected {begin.strip()} and, behind it, {end.strip()}, once each")
    before, rest = text.split(begin)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + "\n".join(lines) + "\n\n" + end + rest.split(end)[1])
