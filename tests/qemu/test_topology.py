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


def test_arm64_cpu_map(qemu):
    run = qemu(*BOOT_ONLY, "topology", arch="arm64", smp="8,sockets=2,clusters=2,cores=1,threads=2")
    run.check_pass(cpus=8)
    assert counts(run, "sockets", "clusters", "cores", "threads") == [2, 4, 4, 8], run.explain()
    assert places(run)[7] == (0, 1, 1, 1, 3, 3, 1), run.explain()


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
def test_nodes_and_their_distances(qemu, arch):
    numa = ""
    for node in range(2):
        numa += f" -object memory-backend-ram,id=m{node},size=256M"
        numa += f" -numa node,nodeid={node},memdev=m{node},cpus={2 * node}-{2 * node + 1}"
    numa += " -numa dist,src=0,dst=1,val=21"
    smp = "4,sockets=2,cores=2,threads=1"
    run = qemu(*BOOT_ONLY, "topology", arch=arch, smp=smp, mem="512M", qemu_args=numa)
    run.check_pass(cpus=4)
    assert counts(run, "sockets", "nodes", "cores") == [2, 2, 4], run.explain()
    assert "# node 1: 2 CPUs, distance to node 0-1: 21 10" in run.report.lines, run.explain()
    assert [place[0] for place in places(run).values()] == [0, 0, 1, 1], run.explain()
