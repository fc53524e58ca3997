# SPDX-License-Identifier: Apache-2.0
"""Every way to boot on machines of all sizes and kinds: each cell finds the CPUs and the memory that
the command line gave, in its time. What firmware can be odd in is in test_efi_chaos.py."""

import os
import subprocess

import pytest

import machine as host
from test_boot_paths import BOOT_ONLY, WAYS

CELL_SECONDS = 180
SIZES = (1, 2, 5, 17)
MIB = 900

# Ways × machines × processors: those that exist together.
KINDS = [
    (way, machine, cpu)
    for machine, ways in {
        "pc": ("direct", "bios", "iso", "uefi", "usb", "usb-bios"),
        "q35,pit=off,hpet=off": ("direct", "iso-uefi", "usb"),
        "microvm": ("direct",),
    }.items()
    for way in ways
    for cpu in ("qemu64", "Haswell")
] + [
    (way, machine, cpu)
    for machine in ("virt", "virt,virtualization=on,gic-version=3", "virt,acpi=off", "virt,secure=off,highmem=off")
    for way in ("arm64-direct", "arm64-uefi", "arm64-usb")
    for cpu in ("cortex-a57", "max")
]


def boot(qemu, way, smp, **options):
    arguments, path = WAYS[way]
    run = qemu(*BOOT_ONLY, smp=smp, mem=f"{MIB}M", timeout=CELL_SECONDS, **arguments, **options)
    run.check_pass(cpus=smp)
    assert run.report.meta["boot"] == path, run.explain()
    assert MIB - 48 <= run.report.memory_mib() <= MIB, run.explain()


@pytest.mark.full
@pytest.mark.parametrize("smp", SIZES)
@pytest.mark.parametrize("way", WAYS)
def test_size(qemu, way, smp):
    boot(qemu, way, smp)


@pytest.mark.full
@pytest.mark.parametrize("way, machine, cpu", KINDS)
def test_kind_of_machine(qemu, way, machine, cpu):
    boot(qemu, way, 3, machine=machine, cpu=cpu)


@pytest.mark.full
@pytest.mark.parametrize("firmware", ["uefi", "bios"])
def test_iso_written_to_a_stick(qemu, tmp_path, firmware):
    """make iso's image is a hard disk as well, for both kinds of firmware."""
    iso = str(tmp_path / "corestorm.iso")
    kernel = os.path.join(host.ROOT, "build", "x86_64", "corestorm.elf")
    subprocess.run([os.path.join(host.ROOT, "tools", "make_iso.sh"), kernel, iso, " ".join(BOOT_ONLY)], check=True)
    run = qemu(smp=2, boot="usb", firmware=firmware, image=iso, timeout=CELL_SECONDS).check_pass(cpus=2)
    assert run.report.meta["boot"] == "multiboot2", run.explain()
