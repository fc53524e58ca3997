# SPDX-License-Identifier: Apache-2.0
"""Every CPU that QEMU gives comes up, is counted, and takes part; the memory found is the memory
that the command line gave."""

import pytest

def check_machine(run, cpus, memory_mib):
    run.check_pass(cpus=cpus)
    assert run.report.number("cpus_listed") - run.report.number("cpus_disabled") == cpus
    # Firmware keeps some of it: the BIOS area, ACPI tables, the kernel itself.
    assert memory_mib - 24 <= run.report.memory_mib() <= memory_mib, run.explain()


@pytest.mark.parametrize("cpus", [1, 2, 3, 8])
def test_quick_suite(qemu, cpus):
    run = qemu("quick", smp=cpus, mem="600M", timeout=600)
    check_machine(run, cpus, 600)
    assert {"Baseline", "Update", "Lifecycle", "Exec"} <= run.report.storms(), run.explain()
    assert len(run.report.tests) > 50 and all(run.report.tests.values()), run.explain()


def test_64_cpus(qemu):
    check_machine(qemu("selftest=none", "bench=none", smp=64, mem="1G"), 64, 1024)


def test_255_cpus(qemu):
    check_machine(qemu("selftest=none", "bench=none", smp=255, mem="2G"), 255, 2048)


def test_288_cpus_need_x2apic(qemu, qemu10):
    run = qemu("selftest=none", "bench=none", smp=288, mem="2G", program=qemu10)
    check_machine(run, 288, 2048)


@pytest.mark.full
@pytest.mark.parametrize("cpus", [64, 255])
def test_storms_on_many_cpus(qemu, cpus):
    run = qemu("bench=lifecycle,update", "quick", "cpus=1,all", smp=cpus, timeout=900)
    run.check_pass(cpus=cpus)
    assert {n for _, n, _, _ in run.report.samples} == {1, cpus}


@pytest.mark.full
def test_storms_on_288_cpus(qemu, qemu10):
    run = qemu("bench=lifecycle", "quick", "cpus=1,all", smp=288, timeout=900, program=qemu10)
    run.check_pass(cpus=288)
    assert {n for _, n, _, _ in run.report.samples} == {1, 288}


def test_memory_above_4_gib(qemu):
    run = qemu("selftest=none", "bench=none", smp=2, mem="6G")
    check_machine(run, 2, 6144)


def test_little_memory(qemu):
    check_machine(qemu("selftest=none", "bench=none", smp=1, mem="64M"), 1, 64)


def test_maxcpus_leaves_the_others_out(qemu):
    run = qemu("selftest=none", "bench=none", "maxcpus=2", smp=4).check_pass(cpus=2)
    assert run.report.number("cpus_unused") == 2
