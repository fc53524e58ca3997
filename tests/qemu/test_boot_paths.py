# SPDX-License-Identifier: Apache-2.0
"""The image through each way that control can arrive."""

import pytest

BOOT_ONLY = ("selftest=none", "bench=none")


# The ways, as options of run-qemu.sh, and what the report calls them.
WAYS = {
    "direct": ({"boot": "direct"}, "pvh"),
    "bios": ({"boot": "bios"}, "multiboot2"),
    "iso": ({"boot": "iso"}, "multiboot2"),
    "iso-uefi": ({"boot": "iso", "firmware": "uefi"}, "multiboot2"),
    "uefi": ({"boot": "uefi"}, "efi"),
    "usb": ({"boot": "usb"}, "efi"),
    "usb-bios": ({"boot": "usb", "firmware": "bios"}, "multiboot2"),
    "arm64-direct": ({"arch": "arm64", "boot": "direct"}, "image_arm64"),
    "arm64-uefi": ({"arch": "arm64", "boot": "uefi"}, "efi"),
    "arm64-usb": ({"arch": "arm64", "boot": "usb"}, "efi"),
}


@pytest.mark.parametrize("way", WAYS)
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
    run = qemu(*BOOT_ONLY, "odd=a;b$c|d&e", "text=two words", smp=1, **WAYS[way][0]).check_whole()
    assert "odd=a;b$c|d&e" in run.stdout, run.explain()
    assert "two words" in run.stdout, run.explain()
