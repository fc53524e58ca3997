# SPDX-License-Identifier: Apache-2.0
"""Sockets, caches, cores and threads as QEMU was told to make them, and what cpus= chooses of them."""

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


def test_arm64_pptt(qemu):
    """The same machine by firmware's ACPI tables."""
    smp = "8,sockets=2,clusters=2,cores=1,threads=2"
    run = qemu(*BOOT_ONLY, "topology", arch="arm64", boot="uefi", smp=smp).check_pass(cpus=8)
    assert run.report.meta["topology"] == "pptt", run.explain()
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


@pytest.mark.parametrize(
    "cpus,order",
    [
        ("spread", [0, 4, 2, 6, 1, 5, 3, 7]),
        ("spread,cores,2", [0, 4, 2, 6]),
        ("package:1,compact", [4, 5, 6, 7]),
        ("package:1,thread:0", [4, 6]),
        ("packages", [0, 4]),
        ("cpu:1-2,cpu:6", [1, 2, 6]),
        ("core:1,core:3,1", [2, 3, 6, 7]),
    ],
)
def test_cpus_chosen_by_place(qemu, cpus, order):
    """CPUs are numbered package by package, core by core, so that the order says what was chosen."""
    run = qemu(
        "selftest=none", "bench=baseline", "quick", "samples=1", "budget_s=1", f"cpus={cpus}",
        smp="8,sockets=2,cores=2,threads=2",
    ).check_pass(cpus=8)
    text = " ".join(map(str, order))
    assert f"# note cpus are taken in this order: {text}" in run.report.lines, run.explain()
    assert run.report.number("chosen") == len(order), run.explain()
    chosen = "+".join(item for item in cpus.split(",") if not item.isdigit())
    assert run.report.meta["selection"] == chosen, run.explain()
    assert all(f"/on={chosen}" in name for name, _, _, _ in run.report.samples), run.explain()
    assert run.report.number("parameter_errors") == 0, run.explain()


@pytest.mark.parametrize(
    "cpus,said",
    [
        ("2,core:9", '"core:9", at character 3, goes beyond core 1'),
        ("llc:", '"llc:", at character 1, needs a number'),
        ("cpu:1-0", '"cpu:1-0", at character 1, needs a number'),
        ("cores,3", '"3", at character 7, is not a number from 1 to 2'),
        ("thread:0,cpu:0,core:1", "no CPU that runs is in all of this"),
    ],
)
def test_cpus_that_are_not_there(qemu, cpus, said):
    run = qemu(
        "selftest=none", "bench=baseline", "quick", "samples=1", "budget_s=1", f"cpus={cpus}",
        smp="2,sockets=1,cores=2,threads=1",
    ).check_pass(cpus=2)
    assert said in run.stdout.replace("\n#  ", ""), run.explain()
    assert run.report.number("parameter_errors") == 1, run.explain()


def test_the_fitted_tree_follows_the_topology(qemu):
    """40 CPUs in two packages: by the topology 4 items of level 1, by the CPU count alone 5."""
    run = qemu(
        "selftest=none", "bench=accuracy", "designs=tree-topo,tree-fit", "quick", "cpus=all",
        "samples=1", "budget_s=1", smp="40,sockets=2,cores=10,threads=2",
    ).check_pass(cpus=40)  # fmt: skip
    bounds = {
        name.split("/")[1]: values["bound-pages"]
        for name, _, _, values in run.report.samples
        if "threads=1" in name
    }
    assert bounds == {
        "design=tree-topo": 40 * 31 + 4 * (256 - 32),
        "design=tree-fit": 40 * 31 + 5 * (256 - 32),
    }, run.explain()
