# SPDX-License-Identifier: Apache-2.0
"""Serial ports: who names them, where they are, and what happens when they are not what was said."""

import fcntl
import os
import struct
import subprocess

import pytest

from report import Report
from test_devices import BOOT_ONLY, PIPE_BYTES, qemu_command

ODD_PORT = 0x4F8  # where no driver looks unasked


def generic_address(space, address, width=8, access=1):
    return struct.pack("<BBBBQ", space, width, 0, access, address)


def spcr(space, address, interface=0):
    """Behind the header: Microsoft, "Serial Port Console Redirection Table"."""
    body = struct.pack("<B3x", interface) + generic_address(space, address)
    return body + bytes(80 - 36 - len(body))


def dbg2(space, address):
    name = b".\0"
    device = struct.pack("<BHBHHHHHHHHH", 0, 22 + 12 + 4 + 2, 1, 2, 38, 0, 0, 0x8000, 0, 0, 22, 34)
    return struct.pack("<II", 44, 1) + device + generic_address(space, address) + bytes([8, 0, 0, 0]) + name


def table(tmp_path, signature, data):
    (tmp_path / signature).write_bytes(data)
    return f" -acpitable sig={signature},data={tmp_path / signature}"


def only_port(iobase):
    return (
        "-serial none -chardev stdio,id=p"
        f" -device isa-serial,chardev=p,iobase={iobase:#x},irq=5,index=0"
    )


@pytest.mark.parametrize("signature,make", [("SPCR", spcr), ("DBG2", dbg2)])
def test_port_that_only_a_table_names(qemu, tmp_path, signature, make):
    arguments = only_port(ODD_PORT) + table(tmp_path, signature, make(1, ODD_PORT))
    run = qemu(*BOOT_ONLY, smp=1, qemu_args=arguments).check_pass(cpus=1)
    assert run.report.meta["consoles"] == "ttyS4", run.explain()
    assert run.report.number("warnings") == 0, run.explain()


def test_port_that_console_names(qemu):
    arguments = only_port(ODD_PORT)
    run = qemu(*BOOT_ONLY, "console=uart,io,0x4f8,9600n8", smp=1, qemu_args=arguments)
    run.check_pass(cpus=1)
    assert run.report.meta["consoles"] == "uart", run.explain()


def test_port_that_three_name_is_one_console(qemu, tmp_path):
    arguments = table(tmp_path, "SPCR", spcr(1, 0x3F8)) + table(tmp_path, "DBG2", dbg2(1, 0x3F8))
    run = qemu(*BOOT_ONLY, smp=1, qemu_args=arguments).check_pass(cpus=1)
    assert run.report.meta["consoles"] == "ttyS0", run.explain()
    assert run.stdout.count("# meta consoles=") == 1, run.explain()


@pytest.mark.parametrize("space,address", [(0, 0x200000), (0, 0xFFFFFFFFF0000), (1, 0x5F8), (7, 9)])
def test_table_that_names_no_port(qemu, tmp_path, space, address):
    """Memory that is in use, beyond the processor's reach, a port that is not there, a space that is
    none."""
    arguments = table(tmp_path, "SPCR", spcr(space, address))
    run = qemu(*BOOT_ONLY, smp=1, qemu_args=arguments).check_pass(cpus=1)
    assert run.report.meta["consoles"] == "ttyS0", run.explain()


def test_only_the_console_that_is_asked_for(qemu, tmp_path):
    other = tmp_path / "other"
    arguments = (
        f"-serial file:{other} -chardev stdio,id=p -device isa-serial,chardev=p,iobase=0x2f8,irq=3"
    )
    run = qemu(*BOOT_ONLY, "console=ttyS1", smp=1, qemu_args=arguments).check_pass(cpus=1)
    assert run.report.meta["consoles"] == "ttyS1", run.explain()
    assert other.read_bytes() == b""


@pytest.mark.parametrize(
    "asked,said",
    [
        ("ttyS9", '"ttyS9", at character 1, is no console\'s name'),
        ("uart,io,0x60", '"uart,io,0x60", at character 1, has an address that is no port'),
        ("ttyS3", "no such console answers"),
        ("uart,mmio32,0x200000", "no such console answers"),
        ("pl011,0x9000000", "is nothing that machines of this kind have"),
    ],
)
def test_console_that_is_none(qemu, asked, said):
    run = qemu(*BOOT_ONLY, f"console={asked}", smp=1).check_pass(cpus=1)
    assert said in run.stdout.replace("\n#  ", ""), run.explain()
    assert run.report.meta["consoles"] == "ttyS0", run.explain()


@pytest.mark.parametrize(
    "asked,consoles",
    [
        ("pl011,0x9000000", "pl011"),
        ("pl011,0x7000000", "ttyAMA0"),  # nobody is there: reads 0, and keeps nothing
        ("pl011,0x40100000", "ttyAMA0"),  # memory
        ("uart,mmio32,0xa000000", "ttyAMA0"),  # another device
        ("uart,io,0x3f8", "ttyAMA0"),
    ],
)
def test_arm64_console(qemu, asked, consoles):
    run = qemu(*BOOT_ONLY, f"console={asked}", arch="arm64", smp=1).check_pass(cpus=1)
    assert run.report.meta["consoles"] == consoles, run.explain()
    assert (run.report.number("parameter_errors") == 0) == (consoles == "pl011"), run.explain()


@pytest.mark.parametrize("machine", ["q35", "pc", "q35,acpi=off"])
@pytest.mark.parametrize(
    "device,consoles",
    [
        ("pci-serial,chardev=p", "ttyPCI0"),
        ("pci-serial-2x,chardev1=n,chardev2=p", "ttyPCI0,ttyPCI1"),
        ("pcie-root-port,id=r,chassis=1 -device pci-serial,bus=r,chardev=p", "ttyPCI0"),
    ],
)
def test_pci_card(qemu, machine, device, consoles):
    """By MCFG, by the ports of configuration space, and without ACPI."""
    if "pcie" in device and machine != "q35":
        pytest.skip("a root port needs PCI Express, and firmware that sets it up")
    arguments = f"-serial none -chardev stdio,id=p -chardev null,id=n -device {device}"
    run = qemu(*BOOT_ONLY, smp=1, machine=machine, qemu_args=arguments).check_pass(cpus=1)
    assert run.report.meta["consoles"] == consoles, run.explain()


def test_pci_card_is_left_alone_beside_another_console(qemu, tmp_path):
    card = tmp_path / "card"
    arguments = f"-chardev file,id=c,path={card} -device pci-serial,chardev=c"
    run = qemu(*BOOT_ONLY, smp=1, qemu_args=arguments).check_pass(cpus=1)
    assert run.report.meta["consoles"] == "ttyS0" and card.read_bytes() == b"", run.explain()


def test_what_a_stuck_console_has_lost_is_counted(tmp_path):
    """The first port takes nothing more; the report on the second one says how much that lost."""
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    whole = tmp_path / "whole"
    command = qemu_command(
        *[f"no_such_parameter_{i}=1" for i in range(100)], more=("-serial", f"file:{whole}")
    )
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=write_end) as process:
        os.close(write_end)
        try:
            assert process.wait(timeout=60) == 33
        finally:
            process.kill()
            os.close(read_end)
    report = Report(whole.read_bytes())
    assert report.result == "pass" and not report.damage, report.damage
    lost = [w for w in report.warnings if w.startswith("console ttyS0 took nothing more")]
    assert lost and int(lost[0].split("lost ")[1].split()[0]) > 1000, report.warnings
