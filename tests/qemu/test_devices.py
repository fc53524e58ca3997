# SPDX-License-Identifier: Apache-2.0
"""Consoles, ACPI tables and ways to end the run, where they are not what one expects."""

import fcntl
import os
import shlex
import subprocess
import time

import machine

BOOT_ONLY = ("selftest=none", "bench=none")
PIPE_BYTES = 4096


def qemu_command(*params, without=None, more=()):
    """The command that run-qemu.sh would run, to be run with something missing."""
    words = shlex.split(
        subprocess.run(
            [machine.RUN_QEMU, "--dry-run", "--smp", "2", "--", *BOOT_ONLY, *params],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    if without:
        at = next(i for i, word in enumerate(words) if word.startswith(without))
        del words[at - 1 : at + 1]
    return words + list(more)


def run_command(words, timeout=60):
    return machine.run(["timeout", str(timeout), *words], timeout)


def test_second_serial_port_alone(qemu):
    run = qemu(
        *BOOT_ONLY,
        smp=1,
        qemu_args="-serial none -chardev stdio,id=second"
        " -device isa-serial,chardev=second,iobase=0x2f8,irq=3",
    )
    run.check_pass(cpus=1)


def test_console_that_nobody_reads():
    """The transmitter never empties: given up once, and the verdict still leaves."""
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    noise = [f"no_such_parameter_{i}=1" for i in range(100)]
    command = qemu_command()
    command[-1] += " " + " ".join(noise)
    start = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=write_end) as process:
        os.close(write_end)
        try:
            assert process.wait(timeout=60) == 33
        finally:
            process.kill()
            os.close(read_end)
    assert time.monotonic() - start > 2, "it never waited: the output fitted into the pipe"


def test_acpi_tables_that_are_hostile(qemu, tmp_path):
    tables = {
        "SRAT": bytes(12) + bytes(24),  # an entry of length 0
        "HPET": bytes(4),  # cut off
        "SSDT": b"\x08_S5_\x12\xff",  # a package that goes on past the end
    }
    arguments = ""
    for name, data in tables.items():
        (tmp_path / name).write_bytes(data)
        arguments += f" -acpitable sig={name},data={tmp_path / name}"
    run = qemu(*BOOT_ONLY, smp=2, machine="pc,hpet=off", qemu_args=arguments).check_pass(cpus=2)
    assert "table SRAT at offset 48" in run.stdout, run.explain()
    assert "table HPET at offset 40" in run.stdout, run.explain()


def test_power_off_by_acpi():
    run = run_command(qemu_command(without="isa-debug-exit")).check_whole()
    assert run.status == 0 and run.report.result == "pass", run.explain()
    assert "halted" not in run.stdout, run.explain()


def test_reset_only_where_it_is_asked_for():
    """A machine without ACPI cannot be powered off."""
    without = {"without": "isa-debug-exit", "more": ("-machine", "pc,acpi=off", "-smp", "1")}
    run = run_command(qemu_command("reset=1", **without))
    assert run.status == 0 and "reset in 1 s" in run.stdout, run.explain()
    run = run_command(qemu_command(**without), timeout=5)
    assert run.status == 124 and "# halted: " in run.stdout, run.explain()
