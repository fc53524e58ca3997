# SPDX-License-Identifier: Apache-2.0
"""The prompt on the serial line, and runs one after the other."""

import os
import subprocess
import sys
import time

import machine
import pytest
import screen

sys.path.insert(0, os.path.join(machine.ROOT, "tools"))

import check_report  # noqa: E402

PROMPT = "corestorm> "
QUIET = ("selftest=none", "bench=none")


class Terminal(screen.Vm):
    """A machine whose serial line is typed at."""

    def __init__(self, folder, *params, qemu_args="", **options):
        super().__init__(
            screen.command(*params, qemu_args=qemu_args, **options), folder, stdin=subprocess.PIPE
        )
        self.seen = 0

    def type(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def prompt(self, seconds=60):
        """What was printed up to the next prompt."""
        before = self.seen
        self.seen = self.wait_serial(PROMPT, seconds, before)
        return self.serial()[before : self.seen]

    def ask(self, line, seconds=60):
        self.type(line + "\r")
        return self.prompt(seconds)


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
def test_commands(tmp_path, arch):
    with Terminal(tmp_path, *QUIET, "shell=60", arch=arch, smp=2) as vm:
        vm.prompt()
        said = vm.ask("help")
        for command in ("list", "set", "run", "topology", "report", "reboot", "off"):
            assert f"\n  {command} " in said, said
        said = vm.ask("list")
        assert "selftest.seed" in said, said
        assert "storms there are: all, none, " in said and "designs there are: all, " in said, said
        assert "test subjects there are: quick, full, none, " in said, said
        assert "sockets=1" in vm.ask("  topology")
        assert 'no command "frobnicate" at column 3' in vm.ask("  frobnicate now")
        assert '"now" at column 10' in vm.ask("topology now")
        said = vm.ask("set samples=x")
        assert "samples=x: malformed at column 5" in said and "set; " not in said, said
        assert "no_such=1: unknown, at column 17" in vm.ask("run bench=none  no_such=1")
        # A character taken back, a line taken back, a line given up.
        assert "selftest.seed" in vm.ask("lisx\x7ft")
        assert "sockets=1" in vm.ask("reboot\x15topology")
        vm.type("reboot\x03")
        vm.prompt()
        said = vm.ask("set selftest=line_edit")
        assert "set; " in said, said
        # The whole report again, and then the report of a second run.
        reports = check_report.read_reports(vm.ask("report").encode())
        assert [r.result for r in reports] == ["pass"] and not reports[0].damage
        said = vm.ask("run bench=baseline samples=1 window_us=1000 cpus=1 quick", 120)
        (second,) = check_report.read_reports(said.encode())
        assert second.result == "pass" and not second.damage, said
        assert second.tests and second.samples and "cpus_online=2" in said, said
        assert "# meta run=2 runs_passed=2 runs_failed=0" in said, said
        vm.type("off\r")
        assert vm.wait(30) == 33


def test_runs_that_differ(tmp_path):
    """Behind more parameters than the report shows, a run with others is no repetition of the one
    before, which may leave nothing behind. CPUs that one run chose are not reported as the next's."""
    small = "samples=1 window_us=1000"
    with Terminal(tmp_path, *QUIET, "shell=60", "quick", smp=2) as vm:
        vm.prompt()
        for _ in range(4):
            vm.ask("set designs=" + "flat,tree," * 20 + "atomic")
        said = vm.ask(f"run bench=baseline {small} cpus=core:0", 120)
        assert "[cut]" in said and "meta selection=core:0 chosen=1" in said, said
        said = vm.ask(f"run bench=lifecycle,exec {small} cpus=core:0,cpu:1 designs=all", 120)
        assert "no CPU that runs is in all of this" in said and "meta selection" not in said, said
        assert "meta run=3 runs_passed=3" in said, said


def test_a_run_is_stopped(tmp_path):
    """Between samples: the row that was begun is in the report, which is whole, and nothing behind it."""
    long = "bench=primitives,baseline samples=1000 window_us=100000 cpus=1 selftest=none"
    with Terminal(tmp_path, *QUIET, "shell=60", smp=1) as vm:
        vm.prompt()
        vm.type(f"run loop=9 {long}\r")
        vm.wait_serial("# progress ", 60, vm.seen)
        time.sleep(2)
        vm.type("no command\x03")
        said = vm.prompt(30)
        (report,) = check_report.read_reports(said.encode())
        assert report.result == "pass" and not report.damage and report.samples, said
        assert said.count("# progress ") == 1 and "stopped by ctrl-C" in said, said
        said = vm.ask("run loop=1 bench=baseline samples=1 window_us=1000", 120)
        assert "# progress baseline 4/4" in said and "stopped" not in said, said


def test_idle_time_ends_it(tmp_path):
    with Terminal(tmp_path, *QUIET, "shell=2", smp=1) as vm:
        vm.prompt()
        begin = time.monotonic()
        assert vm.wait(30) == 33
        assert time.monotonic() - begin > 1
        assert "no key for 2 s" in vm.serial()


def test_reboot(tmp_path):
    """QEMU ends at a reset, with no verdict."""
    with Terminal(tmp_path, *QUIET, "shell=60", smp=1) as vm:
        vm.prompt()
        vm.type("reboot\n")
        assert vm.wait(30) == 0


def test_nobody_is_waited_for_without_the_parameter(qemu):
    assert PROMPT not in qemu(*QUIET, smp=1, timeout=60).check_pass().stdout


def check_loop(run, count, passed):
    reports = check_report.read_reports(run.stdout.encode())
    assert len(reports) == count, run.explain()
    for report in reports:
        assert not report.damage, f"{report.damage}\n{run.explain()}"
    assert [r.result for r in reports].count("pass") == passed, run.explain()
    assert f": {count} runs, {passed} passed, {count - passed} failed" in run.stdout, run.explain()
    return reports


def levels(run):
    return [line.split("live_areas=")[1] for line in run.stdout.split("\n") if "live_areas=" in line]


@pytest.mark.parametrize("build", ["hosted", "hosted-asan-debug"])
def test_runs_leave_nothing_behind(hosted, build):
    run = hosted(
        "loop=3", "selftest=quick", "bench=exec", "cpus=all", "quick", "samples=1",
        "window_us=1000", build=build, smp=2,
    )
    assert run.status == 0, run.explain()
    check_loop(run, 3, 3)
    held = [level.rsplit(" ", 1)[0] for level in levels(run)]
    assert len(held) == 3 and held[1] == held[2], held


def test_loop_in_the_image(qemu):
    run = qemu("loop=3", "selftest=pages,slab", "bench=none", smp=2)
    assert run.status == 0, run.explain()
    check_loop(run, 3, 3)


def test_one_failure_fails_the_loop(hosted):
    """plant=selftest fails the first test of every run."""
    run = hosted("loop=2", "selftest=crc32", "bench=none", "plant=selftest", smp=1)
    assert run.status == 1, run.explain()
    check_loop(run, 2, 0)
    assert "the first run that failed is run 1" in run.stdout
    run = hosted("loop=9", "loop_stop", "selftest=crc32", "bench=none", "plant=selftest", smp=1)
    assert run.status == 1, run.explain()
    assert len(check_report.read_reports(run.stdout.encode())) == 1, run.explain()


@pytest.mark.full
def test_loop_by_time(hosted):
    begin = time.monotonic()
    run = hosted("loop=1m", "selftest=crc32", "bench=none", "loop_stop", smp=1, timeout=100)
    assert run.status == 0 and 55 < time.monotonic() - begin < 90, run.explain()


@pytest.mark.parametrize("value", ["0", "-1", "2x", "m", "99999999999", "1m1", ""])
def test_loop_that_is_none(hosted, value):
    run = hosted(f"loop={value}", "selftest=none", "bench=none", smp=1).check_pass()
    assert run.report.number("parameter_errors") == 1, run.explain()
