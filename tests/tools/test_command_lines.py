# SPDX-License-Identifier: Apache-2.0
"""Every tool says what it is for, and names a file that is missing or bad in one line."""

import pathlib
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
# How a file is given, by tool: {} is the file, {out} what is written.
INPUTS = {
    "check_includes": ["{}"],
    "check_report": ["{}"],
    "font": ["{}"],
    "join_arm64": ["{}", "{}", "{out}"],
    "make_usb": ["{out}", "--kernel", "{}", "--efi", "{}", "--config", "{}"],
    "mark_efi": ["{}"],
    "published": ["{}"],
    "symbols": ["{}"],
}


def programs():
    """All but those of the simulated machine, whose input is a program, and plain modules."""
    found = [p for p in sorted(TOOLS.glob("*.py")) if "__main__" in p.read_text()]
    return [p.stem for p in found if not p.stem.startswith("sim_")]


def run(tool, *arguments):
    return subprocess.run(
        [sys.executable, TOOLS / f"{tool}.py", *arguments],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("tool", programs())
def test_help(tool):
    done = run(tool, "--help")
    assert done.returncode == 0 and done.stdout and not done.stderr, done


@pytest.mark.parametrize("data", [None, b"", b"\0\xff" * 40, b"\x1f\x8b\x08\0" + bytes(20)],
                         ids=["missing", "empty", "binary", "gzip"])  # fmt: skip
@pytest.mark.parametrize("tool", programs())
def test_bad_file(tool, data, tmp_path):
    path = tmp_path / "some.file"
    if data is not None:
        path.write_bytes(data)
    done = run(tool, *(a.format(path, out=tmp_path / "out") for a in INPUTS[tool]))
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1, done
    assert "Traceback" not in done.stderr and not done.stdout, done
