# SPDX-License-Identifier: Apache-2.0
"""Runs the image in QEMU (through run-qemu.sh, as people do) and as a process."""

import os
import pathlib
import shutil
import subprocess

from report import Report

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOT_PATH = pathlib.Path(ROOT)
RUN_QEMU = os.path.join(ROOT, "run-qemu.sh")
UEFI_VARIABLES = {
    "x86_64": "/usr/share/OVMF/OVMF_VARS_4M.fd",
    "arm64": "/usr/share/AAVMF/AAVMF_VARS.fd",
}

# A sanitizer's findings must end a run as a failure, whatever the environment says.
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
    "TSAN_OPTIONS": "exitcode=99:second_deadlock_stack=1",
}


class Run:
    def __init__(self, status, stdout, stderr):
        self.status = status
        self.stdout = stdout.decode(errors="replace").replace("\r", "")
        self.stderr = stderr.decode(errors="replace")
        self.report = Report(stdout)

    def explain(self):
        """For a failing test: the end of what was said."""
        tail = "\n".join(self.stdout.split("\n")[-60:])
        return f"exit status {self.status}\n--- stdout, its end\n{tail}\n--- stderr\n{self.stderr[-6000:]}"

    def check_whole(self):
        """A complete, undamaged report."""
        assert self.report.result, self.explain()
        assert not self.report.damage, f"{self.report.damage}\n{self.explain()}"
        return self

    def check_pass(self, cpus=None):
        self.check_whole()
        assert self.status == 0 and self.report.result == "pass", self.explain()
        if cpus is not None:
            assert self.report.number("cpus_online") == cpus, self.explain()
            assert self.report.number("cpus_failed") == 0, self.explain()
        return self

    def check_fail(self, *reasons):
        assert self.status == 1, self.explain()
        assert self.report.result == "fail", self.explain()
        for reason in reasons:
            assert reason in self.stdout, f"{reason!r} is not said\n{self.explain()}"
        return self


def run(command, timeout, env=None):
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout + 30,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def qemu(*params, timeout=300, qemu_args="", program=None, image=None, **options):
    """options: run-qemu.sh's, without their dashes; True for those without value. image: what is
    booted, if not the build's own."""
    command = [RUN_QEMU, "--timeout", str(timeout)]
    for name, value in options.items():
        command += ["--" + name] if value is True else ["--" + name, str(value)]
    env = {"QEMU_ARGS": qemu_args}
    if program:
        env["QEMU"] = program
    if image:
        env["IMAGE"] = image
    return run(command + ["--", *params], timeout, env)


def hosted(*params, build="hosted", timeout=300, root=ROOT, build_root="build", **machine):
    """machine: smp=, mem=."""
    program = os.path.join(root, build_root, build, "corestorm")
    arguments = [f"{name}={value}" for name, value in machine.items()] + list(params)
    return run(
        ["timeout", "-k", "5", str(timeout), program, *arguments], timeout, SANITIZER_OPTIONS
    )


def copy_tree(to):
    """A copy of the tree without builds and history, to change and build."""
    ignore = shutil.ignore_patterns("build", ".git", "__pycache__", ".pytest_cache")
    shutil.copytree(ROOT, to, ignore=ignore)
    return to


def make(root, *arguments, timeout=600):
    return subprocess.run(
        ["make", *arguments],
        cwd=root,
        env={**os.environ, "MAKELEVEL": "0", "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
