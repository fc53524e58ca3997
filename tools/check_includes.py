#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that a machine can keep: every build runs this and stops where one is broken.

  check_includes.py [ROOT]      lines "file:line: what is wrong"; exit 1 when there are any

- who may include whom, downwards only: bench → counters → core → arch, drivers → core and arch,
  boot → boot/*.h alone; a port includes no core; tests and docs may include anything;
- <…> for the arch contract, the port and the standard headers, "…" from the root for the rest;
- no __builtin_mem… in tested code: neither the simulated machine nor a sanitizer sees what becomes of it;
- no #if of an architecture outside arch/ and boot/;
- no file over 500 lines; an SPDX line in the first three lines.
"""

import os
import re
import sys

MAX_LINES = 500
SPDX = "SPDX-License-Identifier: Apache-2.0"
SPDX_WITHIN_LINES = 3

FOLDERS = ("arch", "bench", "boot", "core", "counters", "docs", "drivers", "mk", "tests", "tools")
TOP_FILES = ("Makefile", "run-qemu.sh", "linker.ld", ".ci/run")
SOURCE_SUFFIXES = (".c", ".h", ".asm", ".inc", ".S", ".ld", ".sh", ".py", ".mk")

# What is there without an operating system (C11, 4 paragraph 6).
FREESTANDING = {
    "float.h", "iso646.h", "limits.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdnoreturn.h",
}
# Libraries that the project links freestanding, and who may use them.
LIBRARIES = {"libfdt.h": ("boot", "drivers"), "efi.h": ("boot",), "efilib.h": ("boot",)}
# Ports that are programs of the build machine, and what they share.
HOST_PORTS = (["arch", "hosted"], ["arch", "sim"], ["arch", "process"])
# Ports that share arch/bare.
BARE_PORTS = (["arch", "x86_64"], ["arch", "arm64"])
HANDOFF = "boot/handoff.h"
# The layout of what outlives a reset, for the kernel that writes it and the boot path that reads it.
REPORT_STORE = "boot/report_store.h"
# Reading a device tree, for boot paths and drivers alike.
DEVICE_TREE = "boot/device_tree.h"
# What boot paths and the ports' first instructions share, beside the hand-off.
BOOT_SHARED = re.compile(r"boot/[^/]+\.h$")

# Folder: what its files may include from the root with "…", as prefixes.
MAY_INCLUDE = {
    "bench": ("bench/", "counters/", "core/"),
    "counters": ("counters/", "core/"),
    "core": ("core/", HANDOFF, REPORT_STORE),
    "drivers": ("drivers/", "core/", HANDOFF, DEVICE_TREE),
}

INCLUDE = re.compile(r'^\s*[#%]\s*include\s+([<"])([^>"]+)[>"]')
ARCH_CONDITION = re.compile(
    r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b_*(?:x86_64|amd64|i[3-6]86|aarch64|arm|ARM_ARCH|riscv|"
    r"powerpc64|powerpc|s390x|mips|loongarch\w*|sparc)_*\b"
)


UNSEEN = re.compile(r"\b__builtin_mem(?:set|cpy|move|cmp)\b")
TESTED = ("bench/", "core/", "counters/")


def include_error(root, path, bracket, name):
    """Why `path` may not include `name`, or None."""
    parts = path.split("/")
    top = parts[0]
    if bracket == "<":
        return system_include_error(parts, name)
    if not os.path.exists(os.path.join(root, name)):
        return f'"{name}" does not exist; includes with quotes are named from the root'
    if top in ("tests", "docs"):
        return None
    if top == "boot":
        own = "/".join(parts[:2]) + "/"
        entry_code = path.endswith((".asm", ".inc")) and re.match(r"arch/[^/]+/[^/]+\.inc$", name)
        if BOOT_SHARED.match(name) or (len(parts) > 2 and name.startswith(own)) or entry_code:
            return None
        return f"a boot path includes boot/*.h and its own folder, not {name}"
    if top == "arch":
        own = ["/".join(parts[:2]) + "/"]
        if parts[:2] in BARE_PORTS:
            own.append("arch/bare/")
        if parts[:2] in HOST_PORTS:
            own.append("arch/process/")
        if parts[1] != "include" and (BOOT_SHARED.match(name) or name.startswith(tuple(own))):
            return None
        return f"a port includes the contract, its own folder and boot/*.h, not {name}"
    if top in MAY_INCLUDE and name.startswith(MAY_INCLUDE[top]):
        return None
    return f"{top}/ may not include {name}"


def system_include_error(parts, name):
    top = parts[0]
    if name.startswith("arch/"):
        if top == "boot" and name != "arch/hooks.h":
            return f"a boot path includes <arch/hooks.h> alone of the contract, not {name}"
        return None
    if name.startswith("port/"):
        return None if top in ("arch", "tests", "linker.ld") else f"<{name}> belongs to the port, use <arch/…>"
    if name in FREESTANDING or top in LIBRARIES.get(name, ()) or top in ("tests", "docs") or parts[:2] in HOST_PORTS:
        return None
    return f"<{name}> is not there without an operating system"


def check_text(root, path, text):
    """[(line number, what is wrong)] of one file."""
    lines = text.splitlines()
    errors = []
    if SPDX not in "\n".join(lines[:SPDX_WITHIN_LINES]):
        errors.append((1, f"no '{SPDX}' in the first {SPDX_WITHIN_LINES} lines"))
    if len(lines) > MAX_LINES:
        errors.append((len(lines), f"{len(lines)} lines; a file has {MAX_LINES} at most"))
    if not path.endswith((".c", ".h", ".asm", ".inc", ".S", ".ld")):
        return errors
    portable = not path.startswith(("arch/", "boot/")) and path != "linker.ld"
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found:
            error = include_error(root, path, found.group(1), found.group(2))
            if error:
                errors.append((number, error))
        if path.startswith(TESTED) and UNSEEN.search(line):
            errors.append((number, "the simulated machine sees no access of a __builtin_mem…: store a typed value, "
                                   "or call the function"))
        if portable and ARCH_CONDITION.match(line):
            errors.append((number, "what depends on the architecture belongs to arch/"))
    return errors


def source_files(root):
    for name in TOP_FILES:
        if os.path.exists(os.path.join(root, name)):
            yield name
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for name in sorted(names):
                if name.endswith(SOURCE_SUFFIXES):
                    yield os.path.relpath(os.path.join(where, name), root).replace(os.sep, "/")


def check_tree(root):
    errors = []
    for path in source_files(root):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            errors += [(path, n, what) for n, what in check_text(root, path, file.read())]
    return errors


def main(argv):
    if argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    root = argv[1] if len(argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not os.path.isdir(os.path.join(root, "core")):
        print(f"check_includes.py: {root}: no tree of Corestorm", file=sys.stderr)
        return 2
    errors = check_tree(root)
    for path, number, what in errors:
        print(f"{path}:{number}: {what}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
