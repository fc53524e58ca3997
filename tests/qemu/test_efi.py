# SPDX-License-Identifier: Apache-2.0
"""The EFI application under OVMF and AAVMF: what firmware gives arrives in the kernel."""

import re

import pytest

BOOT_ONLY = ("selftest=none", "bench=none")


def efi(qemu, *params, arch="x86_64", smp=2, **options):
    return qemu(*BOOT_ONLY, *params, arch=arch, smp=smp, boot="uefi", timeout=180, **options)


def expect_machine(run, cpus, mib):
    """The CPUs and the memory that the command line gave, but for what firmware keeps."""
    run.check_pass(cpus=cpus)
    assert run.report.meta["boot"] == "efi", run.explain()
    assert mib - 32 <= run.report.memory_mib() <= mib, run.explain()
    return run


@pytest.mark.parametrize(
    "machine, cpu, said",
    [
        ("virt", "max", ["entry_el=1", "acpi: FADT: PSCI by hvc", "atomics=lse"]),
        ("virt,virtualization=on", "cortex-a57", ["entry_el=2", "acpi: FADT: PSCI by smc", "atomics=ll/sc"]),
        ("virt,acpi=off", "max", ["device tree: PSCI by hvc", "acpi: no tables"]),
    ],
)
def test_arm64_by_acpi_and_by_device_tree(qemu, machine, cpu, said):
    run = efi(qemu, arch="arm64", smp=3, mem="700M", machine=machine, cpu=cpu)
    expect_machine(run, 3, 700)
    for text in said:
        assert text in run.stdout, run.explain()


def test_arm64_17_cpus_by_acpi(qemu):
    expect_machine(efi(qemu, arch="arm64", smp=17, mem="700M"), 17, 700)


def test_corestorm_cfg(qemu):
    """Each parameter is a line of the file; what is wrong in it is named with its place."""
    run = efi(qemu, "seed=7", "nonsense=1", "quick=maybe", "odd name=2").check_pass(cpus=2)
    assert "parameter nonsense=1: unknown, at corestorm.cfg, line 4, column 1" in joined(run)
    assert "corestorm.cfg, line 5, column 1, expected nothing, or 0 or 1" in joined(run)
    assert "parameter odd name=2: unknown, at corestorm.cfg, line 6, column 1" in joined(run)
    assert run.report.number("parameter_errors") == 3, run.explain()
    assert run.report.meta["config"].startswith("selftest=none bench=none seed=7 "), run.explain()


def joined(run):
    """Lines that were cut at 100 columns, whole again."""
    return re.sub(r"\n#   ", " ", run.stdout)
