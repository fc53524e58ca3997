# SPDX-License-Identifier: Apache-2.0
"""A machine without a serial port: all that it has to say is on the screen, read back through the
font, and its keyboard is asked."""

import re
import time

import check_report
import pytest
import screen

STATUS = re.compile(r" rows (\d+)-(\d+) of (\d+) ")
NO_PORT = "-serial none -vga std"


def status(shown):
    found = STATUS.match(shown.text()[-1])
    return tuple(map(int, found.groups())) if found else None


def wait_page(vm, wanted=lambda place: True, seconds=30):
    """(the screen, its place) once it shows a page, whose status is written last."""
    limit = time.monotonic() + seconds
    while True:
        shown = vm.screen()
        place = status(shown)
        if place and wanted(place):
            return shown, place
        assert time.monotonic() < limit, "\n".join(shown.text())
        time.sleep(0.1)


def read_pages(vm, seconds=30):
    """The whole text, page by page from its beginning."""
    wait_page(vm, seconds=seconds)
    vm.key("g")
    shown, place = wait_page(vm, lambda at: at[0] == 1)
    rows = {}
    while True:
        first, last, count = place
        for i in range(last - first + 1):
            rows[first + i] = shown.text()[i]
        if last == count:
            break
        vm.key("spc")
        shown, place = wait_page(vm, lambda at: at[0] > first)
    assert sorted(rows) == list(range(1, count + 1)), "rows are missing"
    return screen.join_rows([rows[i] for i in range(1, count + 1)])


def check_whole(lines, result="pass"):
    checker = check_report.Checker()
    assert checker.read("\n".join(lines).encode()), lines
    assert not checker.damage and checker.result == result, f"{checker.damage}\n" + "\n".join(lines)
    return checker


def test_whole_report_on_the_screen_and_a_prompt_from_the_keyboard(tmp_path):
    words = screen.iso_command(
        tmp_path, "selftest=param,format,framebuffer", "bench=none", "shell=60", smp=2,
        qemu_args=NO_PORT,
    )
    with screen.Vm(words, tmp_path) as vm:
        vm.wait_screen("corestorm> ", 60)
        vm.key(*"help", "ret")
        vm.wait_screen("runs tests and storms again", 10)
        vm.key(*"topologx", "backspace", "y", "ret")
        vm.wait_screen("# memory: ", 10)
        vm.key(*"report", "ret")
        checker = check_whole(read_pages(vm))
        assert len(checker.tests) > 10
        vm.key("q", *"off", "ret")
        # It is the only way out, so the report stays, and its end is shown first.
        shown, place = wait_page(vm)
        assert place[1] == place[2]
        assert any("# save: nothing is saved" in row for row in shown.text())
        check_whole(read_pages(vm))
        vm.key("q")
        assert vm.wait(20) == 33


@pytest.mark.full
def test_pages_turn_by_themselves_and_come_to_an_end(tmp_path):
    words = screen.iso_command(
        tmp_path, "selftest=none", "bench=none", "list", "hold=8", "hold.page=1", smp=1,
        qemu_args=NO_PORT,
    )
    with screen.Vm(words, tmp_path) as vm:
        _, place = wait_page(vm, seconds=60)
        assert place[1] == place[2]
        wait_page(vm, lambda at: at[0] == 1)
        assert vm.wait(30) == 33


def test_panic_stays_on_the_screen(tmp_path):
    words = screen.iso_command(
        tmp_path, "selftest=none", "bench=none", "plant=panic", smp=2, qemu_args=NO_PORT
    )
    with screen.Vm(words, tmp_path) as vm:
        checked = check_whole(read_pages(vm, 60), result="fail")
        assert any("planted by plant=panic" in line for line in checked.lines)
        vm.key("q")
        assert vm.wait(20) == 35


def test_screen_above_4_gib(tmp_path):
    """arm64's ramfb lies in memory, at its top."""
    disk = screen.Disk(tmp_path, "selftest=none", "bench=none", "shell=30", arch="arm64")
    words = disk.command(qemu_args="-device ramfb", smp=1, mem="6G")
    with screen.Vm(words, tmp_path) as vm:
        shown = vm.wait_screen("corestorm> ", 120)
        place = re.search(r"# screen: .* at 0x([0-9a-f]+):", vm.serial())
        assert int(place.group(1), 16) >= 4 << 30, vm.serial()
        assert any("result=pass" in row for row in shown.text())
