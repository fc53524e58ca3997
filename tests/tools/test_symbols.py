# SPDX-License-Identifier: Apache-2.0
"""tools/symbols.py: which functions it takes from nm's list, what it writes, what it calls moved."""

import importlib.util
import io
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("symbols", ROOT / "tools" / "symbols.py")
symbols = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(symbols)

NM = """\
                 w __start_reg_none
0000000000000000 w weak_and_absent
0000000000100000 t low_entry
ffffffff80001000 t local_name
ffffffff80001000 T global_name
ffffffff80001040 t $x
ffffffff80001060 W weak_function
ffffffff80001080 T symbol_lookup
ffffffff800010c0 t last
ffffffff80001100 R some_data
ffffffff80001108 W weak_data
ffffffff80001110 A absolute
"""


def test_takes_functions_only():
    found, end = symbols.functions(symbols.read_nm(NM))
    assert found == [
        (0x100000, "low_entry"),
        (0xFFFFFFFF80001000, "global_name"),
        (0xFFFFFFFF80001060, "weak_function"),
        (0xFFFFFFFF80001080, "symbol_lookup"),
        (0xFFFFFFFF800010C0, "last"),
    ]
    assert end == 0xFFFFFFFF80001100


def test_writes_distances_from_the_anchor():
    out = io.StringIO()
    symbols.make(symbols.read_nm(NM), out)
    assert "offsets[] = {-128, -32, 0, 64, 128}" in out.getvalue()
    assert "name_at[] = {0, 12, 26, 40}" in out.getvalue()
    assert "{4, offsets, name_at, names}" in out.getvalue()


def test_names_what_moved():
    before = symbols.read_nm(NM)
    after = symbols.read_nm(NM.replace("ffffffff800010c0", "ffffffff800010d0"))
    assert symbols.moved(before, before) == []
    assert symbols.moved(before, after) == [(0xFFFFFFFF800010C0, "last")]


def test_a_linked_program_finds_its_own_functions(tmp_path):
    (tmp_path / "main.c").write_text(
        '#include <string.h>\n#include "core/symbols.h"\n'
        "int main(void)\n{\n    uintptr_t offset;\n"
        "    const char *name = symbol_lookup((uintptr_t)&main + 1, &offset);\n\n"
        '    return !(name && !strcmp(name, "main") && offset == 1);\n}\n'
    )
    sources = [tmp_path / "main.c", ROOT / "core" / "symbols.c", ROOT / "core" / "symbol_table.c"]

    def link(name, extra):
        subprocess.run(
            ["gcc", "-O2", "-no-pie", "-I", ROOT, *sources, *extra, "-o", tmp_path / name],
            check=True,
        )
        return tmp_path / name

    first = link("first", [])
    assert subprocess.run([first], check=False).returncode == 1
    tool = ["/usr/bin/python3", ROOT / "tools" / "symbols.py"]
    table = subprocess.run([*tool, first], check=True, capture_output=True, text=True).stdout
    (tmp_path / "table.c").write_text(table)
    second = link("second", [tmp_path / "table.c"])
    assert subprocess.run([second], check=False).returncode == 0
    assert subprocess.run([*tool, "--check", first, second], check=False).returncode == 0
