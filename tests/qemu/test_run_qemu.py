# SPDX-License-Identifier: Apache-2.0
"""run-qemu.sh itself: options, exit statuses, what it says when something is missing."""

import shlex
import stat

import pytest

import machine


def call(*arguments, **env):
    return machine.run([machine.RUN_QEMU, *arguments], 60, env)


def dry(*arguments, **env):
    run = call("--dry-run", *arguments, **env)
    assert run.status == 0, run.explain()
    return shlex.split(run.stdout)


def value(command, option):
    return command[command.index(option) + 1]


def fake_qemu(folder, status, version="7.2.0", text=""):
    """A program in QEMU's place that ends with `status`."""
    path = folder / "qemu"
    path.write_text(
        f'#!/bin/sh\ncase "$1" in --version) echo "QEMU emulator version {version}"; exit;; esac\n'
        f"printf '{text}'\nexit {status}\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize("status, ours", [(33, 0), (35, 1), (0, 1), (3, 1), (1, 2), (139, 1)])
def test_exit_status(tmp_path, status, ours):
    assert call("--smp", "1", QEMU=fake_qemu(tmp_path, status)).status == ours


def test_end_without_verdict_is_explained(tmp_path):
    run = call("--smp", "1", QEMU=fake_qemu(tmp_path, 0, text="the last words\\n"))
    assert "no verdict" in run.stderr and "the last words" in run.stderr


def test_log_file_has_the_report(tmp_path):
    run = call("--log", str(tmp_path / "log"), QEMU=fake_qemu(tmp_path, 33, text="words\\n"))
    assert (tmp_path / "log").read_text() == run.stdout == "words\n"


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--arch", "arm64", "--boot", "iso"], "that is for x86_64"),
        (["--arch", "arm64", "--smp", "513"], "at most 512 CPUs"),
        (["--arch", "vax"], "x86_64 or arm64"),
        (["--boot", "direct", "--firmware", "uefi"], "no such way"),
        (["--arch", "arm64", "--boot", "usb", "--firmware", "bios"], "has no such firmware"),
        (["--boot", "tape"], "direct, uefi, net, usb, bios or iso"),
        (["--smp", "0"], "--smp 0"),
        (["--smp", "two"], "--smp two"),
        (["--smp"], "needs a value"),
        (["--timeout", "0"], "--timeout 0"),
        (["--accel", "kvm", "--icount"], "--icount needs"),
        (["--frob"], "unknown option --frob"),
    ],
)
def test_usage(arguments, said):
    run = call(*arguments)
    assert run.status == 2 and said in run.stderr, run.explain()


def test_missing_qemu_is_named_with_its_package():
    run = call(QEMU="no-such-qemu")
    assert run.status == 2 and "qemu-system-x86" in run.stderr, run.explain()


def test_missing_image_is_named(tmp_path):
    run = call(IMAGE=str(tmp_path / "corestorm.elf"))
    assert run.status == 2 and "corestorm.elf is missing" in run.stderr, run.explain()


def test_more_than_255_cpus_need_a_newer_qemu(tmp_path):
    old = call("--smp", "256", QEMU=fake_qemu(tmp_path, 33))
    assert old.status == 2 and "make qemu10" in old.stderr, old.explain()
    command = dry("--smp", "256", QEMU=fake_qemu(tmp_path, 33, version="10.0.2"))
    assert "intel-iommu,intremap=on,eim=on" in command


def test_maxcpus_counts_for_x2apic(tmp_path):
    command = dry("--smp", "2,maxcpus=300", QEMU=fake_qemu(tmp_path, 33, version="9.1.0"))
    assert "intel-iommu,intremap=on,eim=on" in command


def test_memory_grows_with_the_cpus():
    def mib(n):
        return int(value(dry("--smp", str(n)), "-m").rstrip("M"))

    assert mib(1) < mib(64) < mib(255)


def test_parameters_with_blanks_are_quoted():
    command = dry("--", "quick", "text=two words")
    assert value(command, "-append") == 'quick text="two words"'


@pytest.mark.parametrize("param", ['x="a b\'', "it's", 'a "b"=c', '"', "#x y", "a=b=c d", "n='", 'n="a"'])
def test_parameters_with_quotes_arrive_as_they_are(param):
    """The kernel's way to read a quote is a shell's without backslash."""
    line = value(dry("--", param, "quick"), "-append")
    assert shlex.split(line) == [param, "quick"], line


def test_command_line_that_breaks_the_pvh_loader_is_refused():
    dry("--", "x" * 4095)
    for text in ("x" * 4096, "\u00e4" * 2048):
        run = call("--dry-run", "--", text)
        assert run.status == 2 and "have 4096 bytes" in run.stderr, run.explain()


def test_log_that_cannot_be_written_is_refused(tmp_path):
    log = str(tmp_path / "no" / "log")
    run = call("--log", log, QEMU=fake_qemu(tmp_path, 33))
    assert run.status == 2 and f"--log {log} cannot be written" in run.stderr, run.explain()
    assert not run.stdout, run.explain()


def test_icount_is_deterministic_by_its_options():
    command = dry("--icount", "--smp", "1")
    assert value(command, "-icount") == "shift=0,sleep=off"
    assert "clock=vm" in value(command, "-rtc") and "thread=single" in value(command, "-accel")


def test_kvm_that_does_not_work_is_refused(tmp_path):
    run = call("--accel", "kvm", QEMU=fake_qemu(tmp_path, 1))
    assert run.status == 2 and "KVM does not work" in run.stderr, run.explain()


def test_kvm_that_aborts_is_refused_in_one_line(tmp_path):
    qemu = fake_qemu(tmp_path, 0)
    (tmp_path / "qemu").write_text("#!/bin/sh\nkill -ABRT $$\n")
    run = call("--accel", "kvm", QEMU=qemu)
    assert run.status == 2 and run.stderr.count("\n") == 1, run.explain()


def test_own_serial_replaces_ours():
    assert "chardev:report" not in dry(QEMU_ARGS="-serial none")
