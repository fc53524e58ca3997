# SPDX-License-Identifier: Apache-2.0
"""Firmware that is odd: tests/efi_chaos hooks boot services and edits tables before it starts the EFI
application. Whatever it does, the CPUs and the memory are those of the command line."""

import os
import re
import subprocess
import sys

import pytest

import machine
from test_efi import expect_machine
from test_odd_machines import ids_online

sys.path.insert(0, os.path.join(machine.ROOT, "tools"))

import make_usb  # noqa: E402  (needs the path above)

GRUB = "/usr/lib/grub/x86_64-efi"
LINKED_AT = 0x200000
APPLICATION = {"x86_64": "BOOTX64.EFI", "arm64": "BOOTAA64.EFI"}
MAKE_FAT = os.path.join(machine.ROOT, "tools", "make_fat.sh")


def chaos(qemu, folder, words, *params, arch="x86_64", smp=3, image=None, files=(), mem="700M", **options):
    """Boots the chaos loader, which starts `image` or the application."""
    build = os.path.join(machine.ROOT, "build", arch)
    disk = str(folder / "disk.img")
    image = image or f"{build}/{APPLICATION[arch]}"
    command = [MAKE_FAT, "-s", "64", disk, "chaos.cfg=-", f"EFI/BOOT/CORESTORM.EFI={image}", *files]
    subprocess.run(command, input=words.encode(), check=True)
    return qemu(
        "selftest=none", "bench=none", *params,
        arch=arch, smp=smp, mem=mem, boot="uefi", disk=disk, image=f"{build}/CHAOS.EFI", timeout=180, **options,
    )  # fmt: skip


def entries_of(run):
    line = next(line for line in run.report.lines if line.startswith("# memory: "))
    return int(line.split("from ")[1].split()[0])


@pytest.mark.parametrize("arch", APPLICATION)
def test_map_that_is_large_and_changes(qemu, tmp_path, arch):
    """1000 entries in no order, long descriptors; ExitBootServices refuses three times, and each time
    the map has grown."""
    run = chaos(qemu, tmp_path, "map=1000 stride=24 key=3 grow=30", arch=arch)
    expect_machine(run, 3, 700)
    assert entries_of(run) >= 1090, run.explain()


@pytest.mark.parametrize("arch", APPLICATION)
def test_madt_in_disorder(qemu, tmp_path, arch):
    """The boot CPU is not the first, all are listed twice, between nobody's entries."""
    run = expect_machine(chaos(qemu, tmp_path, "shuffle pad twice", arch=arch), 3, 700)
    assert sorted(ids_online(run)) == [0, 1, 2], run.explain()


def test_absent_cpus_listed_as_enabled(qemu, tmp_path):
    run = chaos(qemu, tmp_path, "absent shuffle", "absent_cpus=2").check_whole()
    assert run.status == 0 and run.report.number("cpus_online") == 3, run.explain()
    assert run.report.number("cpus_failed") == 2, run.explain()


@pytest.mark.full
@pytest.mark.parametrize("arch", APPLICATION)
def test_absent_cpus_fail_unless_expected(qemu, tmp_path, arch):
    run = chaos(qemu, tmp_path, "absent", "absent_cpus=1", arch=arch).check_whole()
    assert run.status == 1 and run.report.number("cpus_online") == 3, run.explain()


@pytest.mark.full
def test_no_memory_below_4_gib(qemu, tmp_path):
    run = chaos(qemu, tmp_path, "high", arch="arm64", mem="6G").check_pass(cpus=3)
    assert 3072 - 48 <= run.report.memory_mib() <= 3072, run.explain()  # QEMU's begins at 1 GiB


@pytest.mark.full
@pytest.mark.parametrize("holes, all_used", [(120, True), (330, False)])
def test_memory_in_pieces(qemu, tmp_path, holes, all_used):
    """arm64 needs an early page table for each. Where there are none left memory is lost, and that
    is said."""
    run = chaos(qemu, tmp_path, f"holes={holes}", arch="arm64", mem="900M").check_pass(cpus=3)
    assert (run.report.memory_mib() >= 900 - 32) == all_used, run.explain()
    assert ("memory is in more pieces" in run.stdout) != all_used, run.explain()


@pytest.mark.full
def test_one_page_below_1_mib(qemu, tmp_path):
    """CPUs start in a page that the map has, whichever it is."""
    expect_machine(chaos(qemu, tmp_path, "onelow", smp=5), 5, 700)


def image_at(run):
    return int(re.search(r"# kernel image: \d+ KiB at (0x[0-9a-f]+)", run.stdout).group(1), 16)


def test_linked_address_is_taken(qemu, tmp_path):
    run = expect_machine(chaos(qemu, tmp_path, "low"), 3, 700)
    assert image_at(run) > LINKED_AT and image_at(run) % (2 << 20) == 0, run.explain()


@pytest.mark.full
def test_linked_address_is_taken_below_grub(qemu, tmp_path):
    """GRUB, started by the chaos loader, finds another place too, and the kernel runs there."""
    if not os.path.exists(GRUB):
        pytest.skip("GRUB's modules are missing; they are in the package grub-efi-amd64-bin")
    grub = str(tmp_path / "grub.efi")
    config = tmp_path / "start.cfg"
    config.write_text(make_usb.GRUB_START)
    modules = [m for m in make_usb.GRUB_MODULES if os.path.exists(f"{GRUB}/{m}.mod")]
    command = ["grub-mkimage", "-O", "x86_64-efi", "-d", GRUB, "-p", "/corestorm", "-c", str(config), "-o", grub]
    subprocess.run(command + modules, check=True)
    kernel = os.path.join(machine.ROOT, "build", "x86_64", "corestorm.elf")
    menu = tmp_path / "grub.cfg"
    menu.write_text(make_usb.GRUB_MENU)
    files = [f"corestorm/corestorm.elf={kernel}", f"corestorm/grub.cfg={menu}"]
    run = chaos(qemu, tmp_path, "low", image=grub, files=files).check_pass(cpus=3)
    assert run.report.meta["boot"] == "multiboot2" and image_at(run) > LINKED_AT, run.explain()


@pytest.mark.parametrize("arch", [pytest.param("x86_64"), pytest.param("arm64", marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "kind",
    ["bom", *(pytest.param(kind, marks=pytest.mark.full) for kind in ("name", "ascii", "long", "junk"))],
)
def test_load_options(qemu, tmp_path, arch, kind):
    run = chaos(qemu, tmp_path, f"options={kind}", arch=arch)
    if kind == "junk":
        expect_machine(run, 3, 700)
        assert "the load options are no text" in run.stdout, run.explain()
    else:
        expect_machine(run, 3, 512)  # mem=512M is what they say
        assert run.report.number("parameter_errors") == (60 if kind == "long" else 0), run.explain()


@pytest.mark.full
def test_x2apic_mode_at_hand_over(qemu, tmp_path, qemu10):
    run = expect_machine(chaos(qemu, tmp_path, "x2apic shuffle", smp=5, program=qemu10), 5, 700)
    assert "x2apic_at_boot=1" in run.stdout, run.explain()


@pytest.mark.full
@pytest.mark.parametrize("arch", APPLICATION)
@pytest.mark.parametrize("smp", [1, 2, 5, 17])
def test_everything_at_once(qemu, tmp_path, arch, smp):
    words = "map=3000 stride=40 key=5 grow=10 shuffle pad twice absent" + (" low" if arch == "x86_64" else "")
    run = chaos(qemu, tmp_path, words, "absent_cpus=2", arch=arch, smp=smp).check_whole()
    assert run.status == 0 and run.report.number("cpus_online") == smp, run.explain()
    assert 700 - 32 <= run.report.memory_mib() <= 700, run.explain()
