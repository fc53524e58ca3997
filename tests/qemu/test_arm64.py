# SPDX-License-Identifier: Apache-2.0
"""The arm64 port on QEMU's machines: processors with and without LSE atomics, entry at EL1 and EL2,
GICv2 and GICv3, PSCI and spin tables, device trees that are odd on purpose, faults."""

import os
import re
import subprocess

import pytest

import machine
from test_odd_machines import ids_online

BOOT_ONLY = ("selftest=none", "bench=none")
TREES = os.path.join(machine.ROOT, "tests", "qemu", "trees")
LLSC, LSE = "ll/sc", "lse"
ATOMICS = {"cortex-a57": LLSC, "cortex-a72": LLSC, "neoverse-n1": LSE, "max": LSE}


@pytest.fixture
def arm64(qemu):
    """arm64(*params, smp=…, cpu=…, …): as qemu(), on QEMU's virt."""

    def boot(*params, cpu="max", **options):
        return qemu(*params, arch="arm64", cpu=cpu, **options)

    return boot


@pytest.fixture
def virt_tree(tmp_path):
    """virt_tree(smp, [fdtput's arguments], …): the path of virt's device tree, changed."""

    def make(smp, *changes):
        path = str(tmp_path / "virt.dtb")
        command = ["qemu-system-aarch64", "-machine", f"virt,dumpdtb={path}", "-smp", str(smp)]
        command += ["-m", "1G", "-cpu", "cortex-a57", "-nodefaults", "-display", "none"]
        subprocess.run(command, check=True, capture_output=True)
        for change in changes:
            subprocess.run(["fdtput", *change[0:2], path, *change[2:]], check=True)
        return path

    return make


def check_machine(run, cpus, atomics):
    run.check_pass(cpus=cpus)
    assert run.report.meta["atomics"] == atomics, run.explain()
    assert f"# counters: {cpus} of {cpus} CPUs claim" in run.stdout, run.explain()


@pytest.mark.parametrize("cpus, cpu", [(1, "cortex-a57"), (2, "max"), (3, "neoverse-n1")])
def test_quick_suite(arm64, cpus, cpu):
    run = arm64("quick", smp=cpus, cpu=cpu, mem="600M", timeout=600)
    check_machine(run, cpus, ATOMICS[cpu])
    assert {"Baseline", "Update", "Lifecycle", "Exec"} <= run.report.storms(), run.explain()
    assert len(run.report.tests) > 50 and all(run.report.tests.values()), run.explain()
    assert 600 - 24 <= run.report.memory_mib() <= 600, run.explain()


@pytest.mark.full
@pytest.mark.parametrize("cpu", sorted(ATOMICS))
@pytest.mark.parametrize("cpus", [1, 2, 3])
def test_quick_suite_everywhere(arm64, cpus, cpu):
    check_machine(arm64("quick", smp=cpus, cpu=cpu, timeout=600), cpus, ATOMICS[cpu])


@pytest.mark.parametrize("cpu", sorted(ATOMICS))
@pytest.mark.parametrize(
    "virt, level", [("virt", 1), ("virt,gic-version=3", 1), ("virt,virtualization=on", 2)]
)
def test_selftests_on_every_processor(arm64, cpu, virt, level):
    """EL2 with VHE is max and neoverse-n1, without is cortex-a57 and a72."""
    run = arm64("bench=none", smp=2, cpu=cpu, machine=virt, timeout=300)
    check_machine(run, 2, ATOMICS[cpu])
    assert run.report.number("entry_el") == level
    assert f"PSCI by {'hvc' if level == 1 else 'smc'}" in run.stdout
    assert all(run.report.tests.values())


def test_el2_with_gicv3_and_no_acpi(arm64):
    run = arm64(*BOOT_ONLY, smp=3, machine="virt,virtualization=on,gic-version=3,acpi=off")
    check_machine(run, 3, LSE)


@pytest.mark.parametrize("cpus", [17, 64])
def test_storms_across_clusters(arm64, cpus):
    run = arm64("bench=lifecycle", "quick", "cpus=1,all", smp=cpus, timeout=600)
    check_machine(run, cpus, LSE)
    assert {n for _, n, _, _ in run.report.samples} == {1, cpus}
    assert ids_online(run)[16] == 256  # sixteen in a cluster, then the next affinity


def test_512_cpus(arm64):
    run = arm64("bench=none", smp=512, cpu="cortex-a57", timeout=600)
    check_machine(run, 512, LLSC)
    assert all(run.report.tests.values())


@pytest.mark.full
def test_storms_on_512_cpus(arm64):
    run = arm64("bench=lifecycle", "quick", "cpus=1,all", smp=512, timeout=900)
    check_machine(run, 512, LSE)


def test_memory_above_4_gib_and_nodes(arm64):
    numa = (
        "-object memory-backend-ram,id=a,size=4G -object memory-backend-ram,id=b,size=2G"
        " -numa node,cpus=0-1,memdev=a -numa node,cpus=2-3,memdev=b"
    )
    run = arm64(*BOOT_ONLY, smp=4, mem="6G", qemu_args=numa).check_pass(cpus=4)
    assert run.report.number("nodes") == 2 and run.report.memory_mib() > 6100, run.explain()


def test_counter_of_another_rate(arm64):
    run = arm64(*BOOT_ONLY, smp=2, cpu="cortex-a57,cntfrq=1000000").check_pass(cpus=2)
    assert run.report.number("tsc_hz") == 1000000


def test_rate_from_the_tree(arm64, virt_tree):
    tree = virt_tree(1, ["-t", "i", "/timer", "clock-frequency", "50000000"])
    run = arm64(*BOOT_ONLY, smp=1, cpu="cortex-a57", mem="1G", qemu_args=f"-dtb {tree}")
    assert run.check_pass().report.meta["source"] == "clock-frequency", run.explain()
    assert run.report.number("tsc_hz") == 50000000


def test_cpus_that_the_tree_does_not_give(arm64, virt_tree):
    """One that is disabled, one whose method of starting nobody knows: neither is started."""
    tree = virt_tree(
        4,
        ["-t", "s", "/cpus/cpu@1", "status", "disabled"],
        ["-t", "s", "/cpus/cpu@2", "enable-method", "magic"],
    )
    run = arm64(*BOOT_ONLY, smp=4, cpu="cortex-a57", mem="1G", qemu_args=f"-dtb {tree}")
    run.check_pass(cpus=2)
    assert ids_online(run) == [0, 3] and run.report.number("cpus_disabled") == 2, run.explain()
    assert any("CPU 0x2 has no enable-method" in w for w in run.report.warnings)


def test_cpu_that_is_not_there(arm64, virt_tree):
    """PSCI refuses it: it is named, and the run goes on and fails."""
    tree = virt_tree(4)
    run = arm64(*BOOT_ONLY, smp=3, cpu="cortex-a57", mem="1G", qemu_args=f"-dtb {tree}", timeout=60)
    run.check_whole().check_fail("1 of 3 CPUs did not start")
    assert ids_online(run) == [0, 1, 2] and run.report.number("cpus_failed") == 1


@pytest.fixture
def raspi(arm64, tmp_path):
    """raspi(*params, changes=[…]): QEMU's Raspberry Pi 3, with our tree, changed by fdtput."""

    def boot(*params, changes=(), **options):
        tree = str(tmp_path / "raspi3b.dtb")
        subprocess.run(["dtc", "-q", "-o", tree, os.path.join(TREES, "raspi3b.dts")], check=True)
        for change in changes:
            subprocess.run(["fdtput", *change[0:2], tree, *change[2:]], check=True)
        board = {"machine": "raspi3b", "cpu": "cortex-a53", "smp": 4, "mem": "1G"}
        return arm64(*params, "semihosting", qemu_args=f"-dtb {tree}", **board, **options)

    return boot


def test_spin_table_without_interrupt_controller(raspi):
    """CPUs in a spin table, PL011 behind a bus, no GIC: WFE and SEV."""
    run = raspi("bench=none", timeout=300).check_pass(cpus=4)
    assert "no interrupt controller" in run.stdout
    # QEMU makes it 960 MiB; 1 MiB must not be mapped, the kernel and a page are taken out.
    assert 950 <= run.report.memory_mib() <= 958 and all(run.report.tests.values()), run.explain()


def test_no_way_to_call_firmware(raspi):
    """The CPUs are to be started by PSCI, and there is none."""
    changes = [["-t", "s", f"/cpus/cpu@{i}", "enable-method", "psci"] for i in (1, 2, 3)]
    run = raspi(*BOOT_ONLY, changes=changes, timeout=60)
    run.check_whole().check_fail("3 of 3 CPUs did not start")


@pytest.mark.parametrize("cpu", ["cortex-a57", "max"])
@pytest.mark.parametrize("smp", [1, 2])
@pytest.mark.parametrize(
    "fault, said, where",
    [
        ("null", "read of what is not mapped at 0000000000000008", "plant_here+"),
        ("execute", "execution against its permissions", "plant_here+"),
        ("overflow", "the stack has overflowed", "deeper"),
    ],
)
def test_planted_fault_is_dumped(arm64, fault, said, where, smp, cpu):
    run = arm64(*BOOT_ONLY, f"plant={fault}", smp=smp, cpu=cpu, timeout=60)
    run.check_fail(said, where, f"on CPU {smp - 1}", "# exception: ", "x29 ", "sctlr ")


@pytest.mark.parametrize("gic", [2, 3])
def test_planted_hang_is_found_by_the_image(arm64, gic):
    """The CPU that hangs has its interrupts masked; an FIQ makes it say where it is."""
    run = arm64(
        *["selftest=none", "bench=baseline", "quick", "plant=hang"],
        smp=2,
        machine=f"virt,gic-version={gic}",
        timeout=200,
    )
    run.check_fail("has not come back", "CPU 1 is at:", "secondary_main+")


def test_psci_powers_off_where_semihosting_is_not(arm64):
    """Then the status of QEMU is no verdict; the report has it."""
    run = arm64(*BOOT_ONLY, smp=1, qemu_args="-semihosting-config enable=off", timeout=60)
    assert run.status == 1 and "no verdict" in run.stderr, run.explain()
    assert run.report.result == "pass" and not re.search("halted:", run.stdout), run.explain()


def test_two_runs_with_icount_give_the_same_numbers(arm64):
    params = ("bench=lifecycle", "quick", "seed=1")
    first, second = (
        arm64(*params, smp=1, cpu="cortex-a57", icount=True, timeout=300)
        .check_pass(cpus=1)
        .report.samples
        for _ in range(2)
    )
    assert first and first == second
