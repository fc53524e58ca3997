# SPDX-License-Identifier: Apache-2.0
"""Machines and firmware tables that are odd on purpose; each boots, passes, and says what it found."""

import re

import pytest

BOOT_ONLY = ("selftest=none", "bench=none")


def ids_online(run):
    """The hardware ids of the CPUs that run, "0-2,4" taken apart."""
    text = re.search(r"# cpus online: \d+ \(hardware ids ([\d,\s-]+)\)", run.stdout).group(1)
    ids = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids


def test_disabled_cpus_are_neither_started_nor_counted(qemu):
    run = qemu("quick", smp="3,maxcpus=6,sockets=2,cores=3", timeout=600).check_pass(cpus=3)
    assert run.report.number("cpus_listed") == 6, run.explain()
    assert run.report.number("cpus_disabled") == 3, run.explain()


def test_gaps_between_apic_ids(qemu):
    run = qemu(*BOOT_ONLY, smp="6,sockets=2,cores=3,threads=1").check_pass(cpus=6)
    assert ids_online(run) == [0, 1, 2, 4, 5, 6], run.explain()


def test_gaps_and_disabled_cpus(qemu):
    run = qemu(*BOOT_ONLY, smp="3,maxcpus=12,sockets=4,cores=3").check_pass(cpus=3)
    assert run.report.number("cpus_listed") == 12, run.explain()


@pytest.mark.parametrize(
    "machine",
    ["q35,pit=off", "q35,hpet=off", "q35,pit=off,hpet=off", "pc", "pc,hpet=off"],
)
def test_clocks_that_are_missing(qemu, machine):
    run = qemu(*BOOT_ONLY, smp=2, machine=machine).check_pass(cpus=2)
    assert run.report.number("tsc_hz") > 10**6, run.explain()


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
def test_nodes_without_memory_or_cpus(qemu, arch):
    """Node 1 has no memory, node 2 no CPUs, and there is room to plug more memory in."""
    numa = (
        "-object memory-backend-ram,id=a,size=256M -object memory-backend-ram,id=b,size=256M"
        " -numa node,nodeid=0,memdev=a,cpus=0 -numa node,nodeid=1,cpus=1 -numa node,nodeid=2,memdev=b"
    )
    run = qemu(*BOOT_ONLY, arch=arch, smp=2, mem="512M,slots=2,maxmem=64G", qemu_args=numa)
    run.check_pass(cpus=2)
    assert run.report.number("nodes") == 3, run.explain()
    assert 488 <= run.report.memory_mib() <= 512, run.explain()


def test_two_nodes(qemu):
    numa = (
        "-object memory-backend-ram,id=a,size=256M -object memory-backend-ram,id=b,size=256M"
        " -numa node,nodeid=0,memdev=a,cpus=0-1 -numa node,nodeid=1,memdev=b,cpus=2-3"
    )
    run = qemu("bench=none", smp=4, mem="512M", qemu_args=numa).check_pass(cpus=4)
    assert run.report.number("nodes") == 2, run.explain()


def test_no_serial_port_at_all(qemu):
    """Nothing can be read, but the verdict leaves as exit status, and in good time."""
    run = qemu(*BOOT_ONLY, smp=2, qemu_args="-serial none", timeout=60)
    assert run.status == 0, run.explain()


def test_oldest_cpu_model(qemu):
    qemu("bench=none", smp=2, cpu="qemu64").check_pass(cpus=2)


@pytest.mark.parametrize("boot", ["direct", "iso"])
@pytest.mark.parametrize("cpu", ["486", "pentium3"])
def test_processor_of_32_bits_ends_the_run(qemu, boot, cpu):
    run = qemu(*BOOT_ONLY, smp=1, cpu=cpu, boot=boot, timeout=60)
    assert run.status == 1 and "needs a 64-bit processor" in run.stdout, run.explain()
