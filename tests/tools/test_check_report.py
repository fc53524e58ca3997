# SPDX-License-Identifier: Apache-2.0
"""tools/check_report.py: a whole report passes, and every kind of damage is found and placed."""

import os
import random
import subprocess
import sys
import zlib

import pytest

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "check_report.py")


def crc(lines):
    return f"{zlib.crc32(''.join(line + chr(10) for line in lines).encode()):08x}"


def block(name, lines):
    return lines + [f"# end block={name} lines={len(lines)} crc32={crc(lines)}"]


def report(result="pass"):
    lines = ["goos: none", "goarch: amd64", "pkg: corestorm", "cpu: A processor"]
    lines += ["# meta version=0.1.0 smp=4", "KTAP version 1", "1..3"]
    lines += ["ok 1 crc32.known", "ok 2 percpu_area.big # SKIP too small", "ok 3 flat.sums"]
    lines += block("baseline", ["# baseline: what", "BenchmarkBaseline/op=empty-4 5000 0.31 ns/op"])
    lines += block(
        "update",
        [
            "# update: counters",
            "BenchmarkUpdate/design=tree/obj=mm/inc=pm32-4  500  135.0 ns/op  29629629 ops/s",
            "BenchmarkUpdate/design=flat/obj=mm/inc=pm32-4  500  95.25 ns/op  41994750 ops/s",
            "#     4   135.0 +-0.2%   95.25 +-1%",
        ],
    )
    return lines + [f"# end report lines={len(lines)} crc32={crc(lines)} result={result}"]


def check(lines, end="\n"):
    data = end.join(lines) + end if isinstance(lines, list) else lines
    data = data.encode("latin-1") if isinstance(data, str) else data
    run = subprocess.run(
        [sys.executable, TOOL, "-"], input=data, capture_output=True, check=False, timeout=60
    )
    return run.returncode, run.stdout.decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_whole(end):
    status, text = check(report(), end)
    assert status == 0, text
    assert "2 blocks, 3 tests, 3 benchmark lines, result=pass" in text


def test_several_reports():
    status, text = check(report() + ["# loop: text between"] + report() + ["# the end"])
    assert status == 0 and text.count("whole: ") == 2, text
    status, text = check(report("fail") + report())
    assert status == 1 and text.count("whole: ") == 2, text
    second = report()
    del second[9]
    status, text = check(report() + ["# between"] + second)
    assert status == 1, text
    assert f":{len(report()) + 2}: damaged" in text or "damaged: " in text.split("\n")[1], text
    status, text = check(report() + report()[:7])
    assert status == 1 and "ends here" in text, text


def test_text_around_the_report():
    status, text = check(["SeaBIOS (version 1)", "Booting"] + report() + ["host$ \x1b[0m"])
    assert status == 0, text


@pytest.mark.parametrize("rest", ["\r", "error: no suitable video mode found.", "\x1b[0m\x1b[2J> "])
def test_boot_loader_left_the_cursor_in_a_line(rest):
    lines = report()
    assert check([rest + lines[0]] + lines[1:])[0] == 0


def test_whole_but_failed():
    status, text = check(report("fail"))
    assert (status, "result=fail" in text) == (1, True)


def test_no_report():
    assert check(["Booting from ROM..."])[0] == 2
    assert check([])[0] == 2


def test_no_such_file(tmp_path):
    run = subprocess.run([sys.executable, TOOL, str(tmp_path / "none")], capture_output=True)
    assert run.returncode == 2


def test_file(tmp_path):
    path = tmp_path / "log"
    path.write_text("\n".join(report()) + "\n")
    assert subprocess.run([sys.executable, TOOL, str(path)], capture_output=True).returncode == 0


def place(text):
    return int(text.split(":")[1])


def test_mangled_byte_is_placed():
    lines = report()
    at = next(i for i, line in enumerate(lines) if "design=flat" in line)
    lines[at] = lines[at].replace("ns/op", "ns\xff/op")
    status, text = check(lines)
    assert status == 1 and place(text) == at + 1 and "not printable" in text


def test_changed_digit_is_placed_in_its_block():
    lines = report()
    at = next(i for i, line in enumerate(lines) if "design=flat" in line)
    lines[at] = lines[at].replace("95.25", "95.26")
    status, text = check(lines)
    assert status == 1 and "block update" in text
    assert lines.index("# update: counters") + 1 <= place(text) <= at + 1


def test_changed_digit_outside_of_blocks():
    lines = report()
    lines[4] = lines[4].replace("smp=4", "smp=5")
    status, text = check(lines)
    assert status == 1 and "outside" in text


def test_lost_line():
    lines = report()
    del lines[next(i for i, line in enumerate(lines) if "design=flat" in line)]
    status, text = check(lines)
    assert status == 1 and "update" in text


def test_joined_lines():
    lines = report()
    at = next(i for i, line in enumerate(lines) if "design=tree" in line)
    lines[at : at + 2] = [lines[at] + lines[at + 1]]
    status, text = check(lines)
    assert status == 1 and place(text) == at + 1


def test_cut_off():
    lines = report()
    for length in range(5, len(lines)):
        status, text = check(lines[:length])
        assert status == 1, length
        assert "ends here" in text and place(text) == length


@pytest.mark.parametrize(
    "old, new, word",
    [
        ("ok 3 flat.sums", "ok 4 flat.sums", "test 4 behind test 2"),
        ("ok 3 flat.sums", "ok 2 flat.sums", "second result"),
        ("1..3", "1..4", "4 tests planned"),
    ],
)
def test_ktap(old, new, word):
    """Sums are right, the content is not: the image itself is at fault."""
    lines = [new if line == old else line for line in report()[:-1]]
    lines.append(f"# end report lines={len(lines)} crc32={crc(lines)} result=pass")
    status, text = check(lines)
    assert status == 1 and word in text


def test_any_single_change_is_found():
    """Every byte is under a sum: a change anywhere before the end is noticed."""
    draw = random.Random(1)
    whole = "\n".join(report()) + "\n"
    for _ in range(150):
        at = draw.randrange(len("goos: "), whole.rindex("result="))
        byte = chr((ord(whole[at]) ^ (1 << draw.randrange(7))) & 0x7F)
        if byte != whole[at]:
            assert check(whole[:at] + byte + whole[at + 1 :])[0] != 0, (at, whole[at], byte)
