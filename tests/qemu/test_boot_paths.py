# SPDX-License-Identifier: Apache-2.0
"""The image through each way that control can arrive."""

import pytest

BOOT_ONLY = ("selftest=none", "bench=none")


@pytest.mark.parametrize(
    "boot, path",
    [("direct", "pvh"), ("iso", "multiboot2"), ("bios", "multiboot2"), ("uefi", "efi")],
)
def test_boot_path(qemu, boot, path):
    run = qemu(*BOOT_ONLY, smp=3, boot=boot, mem="700M").check_pass(cpus=3)
    assert run.report.meta["boot"] == path, run.explain()
    assert 700 - 24 <= run.report.memory_mib() <= 700, run.explain()


def test_self_tests_through_grub(qemu):
    run = qemu("bench=none", smp=2, boot="iso").check_pass(cpus=2)
    assert len(run.report.tests) > 50, run.explain()


@pytest.mark.parametrize("boot", ["direct", "iso", "uefi"])
def test_command_line_arrives_whole(qemu, boot):
    """Blanks, quotes and what a boot loader might read itself."""
    run = qemu(*BOOT_ONLY, "odd=a;b$c|d&e", "text=two words", smp=1, boot=boot).check_whole()
    assert "odd=a;b$c|d&e" in run.stdout, run.explain()
    assert "two words" in run.stdout, run.explain()
