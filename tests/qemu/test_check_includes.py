# SPDX-License-Identifier: Apache-2.0
"""The house check finds what it must: violations planted in a small tree of their own."""

import os
import subprocess
import sys

import pytest

import machine

CHECK = os.path.join(machine.ROOT, "tools", "check_includes.py")
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"


def check(root):
    done = subprocess.run([sys.executable, CHECK, str(root)], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def plant(root, path, text, spdx=SPDX):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(spdx + text)


@pytest.fixture
def tree(tmp_path):
    """A tree in which everything is as it should be."""
    plant(tmp_path, "core/log.h", "#include <stdint.h>\n")
    plant(tmp_path, "core/main.c", '#include <arch/hooks.h>\n#include "boot/handoff.h"\n#include "core/log.h"\n')
    plant(tmp_path, "counters/flat.h", '#include "core/log.h"\n')
    plant(tmp_path, "bench/storm.h", '#include "counters/flat.h"\n')
    plant(tmp_path, "bench/storm.c", '#include "bench/storm.h"\n#include <arch/time.h>\n')
    plant(tmp_path, "boot/handoff.h", "#include <stdint.h>\n")
    plant(tmp_path, "boot/pvh/pvh.h", "")
    plant(tmp_path, "boot/pvh/pvh.c", '#include <arch/hooks.h>\n#include "boot/handoff.h"\n#include "boot/pvh/pvh.h"\n')
    plant(tmp_path, "arch/x86_64/x86.h", "#ifdef __x86_64__\n#endif\n")
    plant(tmp_path, "arch/x86_64/cpu.c", '#include <port/mmu.h>\n#include "arch/x86_64/x86.h"\n')
    plant(tmp_path, "arch/hosted/main.c", "#include <stdio.h>\n")
    plant(tmp_path, "drivers/acpi.c", '#include "core/log.h"\n')
    plant(tmp_path, "tests/kernel/any.c", '#include "bench/storm.h"\n#include "core/log.h"\n')
    return tmp_path


def test_a_good_tree_passes(tree):
    assert check(tree) == (0, "")


def test_this_tree_passes():
    assert check(machine.ROOT) == (0, "")


@pytest.mark.parametrize(
    "path, line",
    [
        ("core/a.c", '#include "counters/flat.h"'),
        ("core/a.c", '#include "bench/storm.h"'),
        ("core/a.c", '#include "drivers/acpi.c"'),
        ("core/a.c", "#include <port/mmu.h>"),
        ("core/a.c", "    __builtin_memset(p, 0, 8);"),
        ("core/a.c", "#include <stdio.h>"),
        ("core/a.c", "#include <string.h>"),
        ("core/a.c", '#include "log.h"'),
        ("core/a.c", '  #  include   "bench/storm.h"'),
        ("counters/a.c", '#include "bench/storm.h"'),
        ("counters/designs/a.c", '#include "bench/storm.h"'),
        ("counters/a.c", '#include "boot/handoff.h"'),
        ("bench/a.c", '#include "drivers/acpi.c"'),
        ("bench/a.c", '#include "boot/handoff.h"'),
        ("drivers/a.c", '#include "bench/storm.h"'),
        ("boot/pvh/a.c", '#include "core/log.h"'),
        ("boot/pvh/a.c", "#include <arch/mmu.h>"),
        ("boot/efi/a.c", '#include "boot/pvh/pvh.h"'),
        ("arch/x86_64/a.c", '#include "core/log.h"'),
        ("arch/x86_64/a.c", "#include <stdio.h>"),
        ("arch/hosted/a.c", '#include "core/log.h"'),
        ("arch/hosted/a.c", '#include "arch/x86_64/x86.h"'),
        ("arch/include/arch/a.h", '#include "boot/handoff.h"'),
        ("core/a.c", "#ifdef __x86_64__"),
        ("core/a.c", "#if defined(__aarch64__)"),
        ("bench/a.c", "#ifndef __amd64__"),
        ("counters/a.h", "#if 0\n#elif defined(__riscv)"),
        ("drivers/a.c", "#if __ARM_ARCH >= 8"),
    ],
)
def test_planted_violation_is_found(tree, path, line):
    plant(tree, path, line + "\n")
    status, said = check(tree)
    assert status == 1 and said.startswith(f"{path}:"), said


@pytest.mark.parametrize(
    "path, line",
    [
        ("core/a.c", "// __x86_64__ is told apart in arch/"),
        ("core/a.c", "#if CORESTORM_DEBUG"),
        ("core/a.c", "#ifdef charm"),
        ("boot/pvh/a.asm", "; nothing"),
    ],
)
def test_harmless_lines_pass(tree, path, line):
    plant(tree, path, line + "\n")
    assert check(tree) == (0, "")


def test_long_file(tree):
    plant(tree, "core/a.c", "\n" * 499)
    assert check(tree) == (0, "")
    plant(tree, "core/a.c", "\n" * 500)
    status, said = check(tree)
    assert status == 1 and "501 lines" in said


@pytest.mark.parametrize("path", ["core/a.c", "mk/a.mk", "tools/a.py", "tools/a.sh", "boot/pvh/a.asm"])
def test_missing_licence_line(tree, path):
    plant(tree, path, "text\n", spdx="")
    status, said = check(tree)
    assert status == 1 and f"{path}:1: no 'SPDX" in said


def test_the_build_stops(tmp_path):
    """The check is part of every build: a copy of the tree with a violation is not built."""
    copy = machine.copy_tree(tmp_path / "tree")
    plant(copy, "core/planted.c", '#include "bench/storm.h"\n')
    done = machine.make(copy, "hosted")
    assert done.returncode != 0
    assert "core/planted.c:2: core/ may not include bench/storm.h" in done.stdout + done.stderr
