# SPDX-License-Identifier: Apache-2.0
"""Sockets, caches, cores and threads as QEMU was told to make them."""

import re

import pytest

BOOT_ONLY = ("selftest=none", "bench=none")
CPU_LINE = re.compile(
    r"# cpu (\d+): hardware id \d+ node (\d+) package (\d+) die (\d+) llc (\d+) cluster (\d+) "
    r"core (\d+) thread (\d+)"
)


def places(run):
    """{cpu: (node, package, die, llc, cluster, core, thread)} of the parameter `topology`."""
    return {
        int(found.group(1)): tuple(map(int, found.groups()[1:]))
        for found in map(CPU_LINE.match, run.report.lines)
        if found
    }


def counts(run, *names):
    return [run.report.number(name) for name in names]


LEVELS = ("sockets", "llcs", "cores", "threads")


@pytest.mark.parametrize("cpu", ["max", "EPYC", "Skylake-Server", "qemu64", "core2duo"])
@pytest.mark.parametrize(
    "smp,expected",
    [
        ("8,sockets=2,cores=2,threads=2", [2, 2, 4, 8]),
        ("6,sockets=2,cores=3,threads=1", [2, 2, 6, 6]),
    ],
)
def test_x86_64(qemu, cpu, smp, expected):
    run = qemu("bench=none", "selftest=topology", "topology", smp=smp, cpu=cpu)
    run.check_pass(cpus=expected[-1])
    assert counts(run, *LEVELS) == expected, run.explain()
    assert len(places(run)) == expected[-1], run.explain()


def test_dies(qemu):
    run = qemu(*BOOT_ONLY, smp="8,sockets=1,dies=2,cores=2,threads=2", cpu="Skylake-Server")
    run.check_pass(cpus=8)
    assert counts(run, "sockets", "dies", "cores") == [1, 2, 4], run.explain()
