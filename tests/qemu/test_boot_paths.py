# SPDX-License-Identifier: Apache-2.0
"""The image through each way that control can arrive."""

import os
import shutil
import subprocess

import pytest

import machine

BOOT_ONLY = ("selftest=none", "bench=none")


# The ways, as options of run-qemu.sh, and what the report calls them.
WAYS = {
    "direct": ({"boot": "direct"}, "pvh"),
    "bios": ({"boot": "bios"}, "multiboot2"),
    "iso": ({"boot": "iso"}, "multiboot2"),
    "iso-uefi": ({"boot": "iso", "firmware": "uefi"}, "multiboot2"),
    "uefi": ({"boot": "uefi"}, "efi"),
    "net": ({"boot": "net"}, "efi"),
    "usb": ({"boot": "usb"}, "efi"),
    "usb-bios": ({"boot": "usb", "firmware": "bios"}, "multiboot2"),
    "arm64-direct": ({"arch": "arm64", "boot": "direct"}, "image_arm64"),
    "arm64-uefi": ({"arch": "arm64", "boot": "uefi"}, "efi"),
    "arm64-net": ({"arch": "arm64", "boot": "net"}, "efi"),
    "arm64-usb": ({"arch": "arm64", "boot": "usb"}, "efi"),
}


@pytest.mark.parametrize("way", [way for way in WAYS if "net" not in way])  # those: test_efi.py
def test_boot_path(qemu, way):
    """The same CPUs and memory as the command line gave, apart from what firmware keeps."""
    options, path = WAYS[way]
    run = qemu(*BOOT_ONLY, smp=3, mem="700M", timeout=180, **options).check_pass(cpus=3)
    assert run.report.meta["boot"] == path, run.explain()
    assert 700 - 24 <= run.report.memory_mib() <= 700, run.explain()


def test_self_tests_through_grub(qemu):
    run = qemu("bench=none", smp=2, boot="iso").check_pass(cpus=2)
    assert len(run.report.tests) > 50, run.explain()


@pytest.mark.parametrize("way", ["direct", "iso", "uefi", "usb-bios"])
def test_command_line_arrives_whole(qemu, way):
    """Blanks, quotes and what a boot loader might read itself."""
    quotes = ["q=a \"b c'"] if way != "iso" else []
    run = qemu(*BOOT_ONLY, "odd=a;b$c|d&e", "text=two words", *quotes, smp=1,
               **WAYS[way][0]).check_whole()
    assert "odd=a;b$c|d&e" in run.stdout, run.explain()
    for param in ("text=two words", *quotes):
        assert f"parameter {param}: unknown" in run.stdout, run.explain()


@pytest.mark.parametrize("param, what", [("q=a \"b c'", '"'), ("it's", "'"), ("a\\b", "\\")])
def test_what_grub_cannot_pass_is_refused(qemu, param, what):
    run = qemu(*BOOT_ONLY, param, smp=1, boot="iso")
    assert run.status == 2 and f"GRUB cannot pass {what} in a parameter" in run.stderr, run.explain()


def test_corestorm_cfg_as_people_write_it(qemu, tmp_path):
    """A byte order mark, CR LF, comments, several parameters a line, no end of the last line."""
    text = "\ufeff# what for\r\nselftest=none\tbench=none # both\r\n\r\n  seed=7 odd#not='a # b' \r\n#\r\nlast=1"
    run = stick_with(qemu, tmp_path, text.encode()).check_whole()
    assert run.report.meta["config"] == "selftest=none\tbench=none seed=7 odd#not='a # b' last=1".replace("\t", "?")
    assert "corestorm.cfg, line 4, column 10" in run.stdout, run.explain()
    assert "corestorm.cfg, line 6, column 1" in run.stdout, run.explain()
    assert run.report.number("parameter_errors") == 2, run.explain()


def test_corestorm_cfg_that_is_no_text(qemu, tmp_path):
    """The run goes on, with all defaults; that it would take long is not waited for."""
    run = stick_with(qemu, tmp_path, "quick\n".encode("utf-16"), seconds=10)
    assert "saved as UTF-16?" in run.stdout and "config=" not in run.stdout, run.explain()


def stick_with(qemu, folder, config, seconds=60):
    """Boots a stick with this corestorm.cfg by BIOS, which is quick."""
    disk = folder / "stick.img"
    shutil.copyfile(os.path.join(machine.ROOT, "build", "corestorm.img"), disk)
    command = [os.path.join(machine.ROOT, "tools", "make_fat.sh"), f"{disk}@@1M", "corestorm.cfg=-"]
    subprocess.run(command, input=config, check=True)
    return qemu(boot="usb", firmware="bios", disk=str(disk), smp=2, timeout=seconds)
