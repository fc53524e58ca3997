# SPDX-License-Identifier: Apache-2.0
"""The report leaves by the medium: kept in memory over a reset, and saved by the next start."""

import re

import check_report
import pytest
import screen

TESTS = ("selftest=param,format,report_store", "bench=none")
TEXT_FIRST = b"goos: none\n"


def check_whole(data):
    checker = check_report.Checker()
    assert data and checker.read(data), data
    assert not checker.damage and checker.result == "pass", checker.damage
    return checker


def test_without_a_serial_port_the_report_is_on_the_stick(tmp_path):
    """One machine, left alone: it runs, resets, saves and switches itself off."""
    disk = screen.Disk(tmp_path, "# not save=off", *TESTS)
    disk.put("corestorm/report-001.txt", b"an older one\n")
    with screen.Vm(disk.command(qemu_args="-serial none -vga std", smp=2), tmp_path) as vm:
        assert vm.wait(120) == 0
    assert disk.names() == ["report-001.txt", "report-002.txt"]
    assert disk.read("corestorm/report-001.txt") == b"an older one\n"
    saved = disk.read("corestorm/report-002.txt")
    assert saved.startswith(TEXT_FIRST)
    check_whole(saved)


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
def test_what_is_saved_is_what_was_printed(tmp_path, arch):
    disk = screen.Disk(tmp_path, *TESTS, "save=reset", arch=arch)
    with screen.Vm(disk.command(smp=2), tmp_path) as vm:
        assert vm.wait(180) == 0
        printed = vm.serial()
    saved = disk.read("corestorm/report-001.txt")
    check_whole(saved)
    assert saved.decode() in printed, printed
    assert disk.names() == ["report-001.txt"]
    said = f"saved: \\corestorm\\report-001.txt, {len(saved)} bytes"
    assert said in printed, printed


def test_reset_in_the_middle(tmp_path):
    disk = screen.Disk(tmp_path, *TESTS, "loop=forever")
    with screen.Vm(disk.command(smp=1), tmp_path) as vm:
        at = vm.wait_serial("# meta run=3 ", 60)
        vm.do("system_reset")
        at = vm.wait_serial("(that run did not come to its end)", 60, at)
        vm.wait_serial("# meta run=2 ", 60, at)  # and it has begun again
    saved = disk.read("corestorm/report-001.txt")
    assert saved.startswith(TEXT_FIRST)
    assert saved.endswith(b"# note: the run did not come to its end; this is what was kept when the "
                          b"machine was reset\n")
    assert b"# meta run=3 " in saved
    check_whole(saved)  # the first report in it
    assert disk.names() == ["report-001.txt", "running.txt", "unfinished.txt"]


NO_RUN = "corestorm: no run is started: the last"


@pytest.mark.full
def test_resets_without_end(tmp_path):
    """A machine that resets itself in every run is started three times, and then no more."""
    disk = screen.Disk(tmp_path, *TESTS, "loop=forever")
    with screen.Vm(disk.command(smp=1), tmp_path) as vm:
        at = 0
        for _ in range(3):
            at = vm.wait_serial("# meta run=2 loop", 60, at)
            vm.do("system_reset")
        at = vm.wait_serial(f"{NO_RUN} 3 did not come to their end", 60, at)
        vm.do("system_reset")
        at = vm.wait_serial(NO_RUN, 60, at)
        assert vm.wait(120) == 0
        assert "# meta" not in vm.serial()[at:]
    reports = [f"report-00{i}.txt" for i in (1, 2, 3)]
    assert disk.names() == [*reports, "unfinished.txt"]


def test_somebody_says_to_start_all_the_same(tmp_path):
    disk = screen.Disk(tmp_path, *TESTS, "save=reset")
    disk.put("corestorm/unfinished.txt", b"3")
    with screen.Vm(disk.command(smp=1), tmp_path) as vm:
        vm.wait_serial(NO_RUN, 60)
        vm.wait_serial("press s now", 10)
        vm.key("x", "s")
        assert vm.wait(120) == 0, vm.serial()
    check_whole(disk.read("corestorm/report-001.txt"))
    assert disk.names() == ["report-001.txt"]


@pytest.mark.full
def test_many_lost_reports_do_not_stop_a_start(tmp_path):
    """A machine that is switched off behind each run starts, and does not reset itself. The count
    stays one digit."""
    disk = screen.Disk(tmp_path, *TESTS, "save=reset")
    disk.put("corestorm/running.txt", b"9")
    with screen.Vm(disk.command(smp=1), tmp_path) as vm:
        assert vm.wait(60) == 33, vm.serial()
        printed = vm.serial()
    assert "This run will not reset it" in printed and NO_RUN not in printed, printed
    assert "# save: no reset: the reports of the runs before did not survive one" in printed, printed
    assert disk.names() == ["running.txt"]
    assert disk.read("corestorm/running.txt").startswith(b"9 runs"), printed


def cut_power(disk, folder):
    """In the middle of a run: what memory held is lost. Returns what was printed."""
    with screen.Vm(disk.command(smp=1), folder) as vm:
        vm.wait_serial("# meta run=2 ", 60)
        return vm.serial()


def place_of(printed):
    return re.search(r"# save: the report is kept at (0x[0-9a-f]+)", printed).group(1)


@pytest.mark.full
def test_memory_that_does_not_survive(tmp_path):
    """The next run is kept elsewhere; the third one does not reset, so there is an end."""
    disk = screen.Disk(tmp_path, *TESTS, "save=reset", "loop=forever")
    first = cut_power(disk, tmp_path)
    assert "did not survive" not in first and disk.names() == ["running.txt"]
    second = cut_power(disk, tmp_path)
    assert "did not survive" in second and "will not reset it" not in second, second
    assert place_of(first) != place_of(second)
    disk.set_params(*TESTS, "save=reset")
    with screen.Vm(disk.command(smp=1), tmp_path) as vm:
        assert vm.wait(60) == 33
        printed = vm.serial()
    assert "This run will not reset it" in printed, printed
    assert "# save: no reset: the reports of the runs before did not survive one" in printed, printed
    assert disk.names() == ["running.txt"]


@pytest.mark.full
def test_medium_that_is_full(tmp_path):
    disk = screen.Disk(tmp_path, "selftest=quick", "bench=none", "save=reset")
    words = disk.command(smp=1)
    disk.put("filler", bytes(disk.free_bytes() - (16 << 10)))
    with screen.Vm(words, tmp_path) as vm:
        at = vm.wait_serial("the report of the run before cannot be saved", 120)
        vm.wait_serial("Make room on it", 10, at)
    assert disk.names() == ["running.txt"]


@pytest.mark.full
def test_save_off_leaves_nothing(tmp_path):
    disk = screen.Disk(tmp_path, *TESTS, "save=off")
    with screen.Vm(disk.command(smp=1), tmp_path) as vm:
        assert vm.wait(60) == 33
        assert "# save: " not in vm.serial()
    assert disk.names() == []


@pytest.mark.full
def test_the_last_word_counts(tmp_path):
    disk = screen.Disk(tmp_path, *TESTS, "save=off", "save=reset")
    with screen.Vm(disk.command(smp=1), tmp_path) as vm:
        assert vm.wait(120) == 0
    check_whole(disk.read("corestorm/report-001.txt"))


@pytest.mark.full
def test_the_stick_itself(tmp_path):
    """The stick of `make usb` behind xHCI: the report lies on the file system that people see."""
    stick = screen.Stick(tmp_path, *TESTS, "save=reset")
    with screen.Vm(stick.command(smp=2), tmp_path) as vm:
        assert vm.wait(180) == 0, vm.serial()
        printed = vm.serial()
    saved = stick.read("corestorm/report-001.txt")
    check_whole(saved)
    assert saved.decode() in printed, printed


@pytest.mark.full
def test_panic_is_saved(tmp_path):
    disk = screen.Disk(tmp_path, *TESTS, "plant=panic", "save=reset")
    with screen.Vm(disk.command(smp=2), tmp_path) as vm:
        assert vm.wait(120) == 0
    checker = check_report.Checker()
    assert checker.read(disk.read("corestorm/report-001.txt"))
    assert checker.result == "fail" and not checker.damage, checker.damage
    assert any("planted by plant=panic" in line for line in checker.lines)
