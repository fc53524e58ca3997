# SPDX-License-Identifier: Apache-2.0
"""The same kernel as a process: at native speed, under sanitizers, by another compiler."""

import os

import pytest

import machine

SANITIZED = ["hosted-asan-debug", "hosted-tsan"]


def test_storms_at_native_speed(hosted):
    run = hosted("bench=update,lifecycle,exec", "quick", timeout=600).check_pass()
    assert run.report.storms() == {"Update", "Lifecycle", "Exec"}, run.explain()
    assert run.report.meta["cpus_online"] == str(len(os.sched_getaffinity(0)))


def test_all_self_tests(hosted):
    hosted("selftest=full", "bench=none", smp=4, timeout=600).check_pass(cpus=4)


# All tests under ThreadSanitizer take five minutes on two processors; the quick set takes one.
@pytest.mark.parametrize(
    "build, tests",
    [
        ("hosted-asan-debug", "full"),
        ("hosted-tsan", "quick"),
        pytest.param("hosted-tsan", "full", marks=pytest.mark.full),
    ],
)
def test_self_tests_under_sanitizers(hosted, build, tests):
    run = hosted(f"selftest={tests}", "bench=none", build=build, smp=4, timeout=900)
    assert "Sanitizer" not in run.stderr and "runtime error" not in run.stderr, run.explain()
    run.check_pass(cpus=4)


@pytest.mark.parametrize("build", SANITIZED)
def test_storms_under_sanitizers(hosted, build):
    run = hosted("selftest=none", "quick", build=build, smp=3, timeout=900)
    assert "Sanitizer" not in run.stderr and "runtime error" not in run.stderr, run.explain()
    run.check_pass(cpus=3)


def test_more_cpus_than_the_host_has(hosted):
    cpus = 2 * len(os.sched_getaffinity(0)) + 3
    run = hosted("bench=none", smp=cpus, timeout=300).check_pass(cpus=cpus)
    assert run.report.meta["oversubscribed"] == "1", run.explain()


def test_500_cpus(hosted):
    hosted("selftest=none", "bench=none", smp=500, timeout=300).check_pass(cpus=500)


def test_memory_is_what_was_given(hosted):
    run = hosted("selftest=none", "bench=none", smp=1, mem="300M").check_pass(cpus=1)
    assert run.report.memory_mib() == 300, run.explain()


@pytest.mark.parametrize("wrong", ["smp=0", "smp=x", "smp=99999", "mem=1M", "mem=", "smp=-1"])
def test_machine_that_cannot_be(hosted, wrong):
    run = hosted(wrong)
    assert run.status == 2 and f"{wrong}: expected a number from" in run.stderr, run.explain()


@pytest.mark.parametrize("size, mib", [("0x10000000", 256), ("262144k", 256), ("1G", 1024)])
def test_sizes_are_written_as_the_kernel_reads_them(hosted, size, mib):
    run = hosted("selftest=none", "bench=none", smp=1, mem=size).check_pass(cpus=1)
    assert run.report.memory_mib() == mib, run.explain()


def test_range_of_memory_is_said_in_units(hosted):
    run = hosted("mem=2T")
    assert run.status == 2 and "from 32M to 1T" in run.stderr, run.explain()


def test_help_and_list_name_the_machines_parameters(hosted):
    usage = hosted("--help")
    assert usage.status == 0 and not usage.stderr, usage.explain()
    listed = hosted("list", "selftest=none", "bench=none", smp=1).check_pass(cpus=1)
    for name in ("smp=N", "mem=SIZE"):
        assert name in usage.stdout and name in listed.stdout, listed.explain()


@pytest.mark.parametrize(
    "output, status, said",
    [
        (">/dev/full", 1, "parts of the report were lost: No space"),
        (">&-", 2, "standard output is closed"),
    ],
)
def test_lost_report_is_no_pass(output, status, said):
    program = machine.ROOT_PATH / "build" / "hosted" / "corestorm"
    run = machine.run(
        ["sh", "-c", f'"$0" smp=1 selftest=none bench=none {output}', program], 60
    )
    assert run.status == status and said in run.stderr, run.explain()


def test_a_race_would_be_found(tmp_path):
    """The sanitizer build can fail: a planted race makes a run of it fail."""
    copy = machine.copy_tree(tmp_path / "tree")
    (copy / "tests" / "kernel" / "planted_race.c").write_text(
        """/* SPDX-License-Identifier: Apache-2.0 */
#include "core/selftest.h"
#include "core/smp.h"

static int shared;

static void bump(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++)
        shared++;
}

static void race(struct ktest *t)
{
    EXPECT_EQ(t, smp_run_all(bump, NULL, 10000), 0);
}

KTEST(planted, race, KTEST_QUICK);
"""
    )
    built = machine.make(copy, "hosted", "SAN=tsan")
    assert built.returncode == 0, built.stderr
    run = machine.hosted("selftest=planted", "bench=none", build="hosted-tsan", root=copy, smp=2)
    assert run.status == 99 and "data race" in run.stderr, run.explain()


def test_clang_builds_and_runs(tmp_path):
    """Both images; the process runs its tests, the kernel boots."""
    root = str(tmp_path / "build")
    for target in ("hosted", "kernel"):
        built = machine.make(machine.ROOT, target, "CC=clang", f"BUILD_ROOT={root}")
        assert built.returncode == 0, built.stdout + built.stderr
    machine.hosted("bench=none", smp=2, build_root=root).check_pass(cpus=2)
    run = machine.run(
        [machine.RUN_QEMU, "--smp", "2", "--timeout", "200", "--", "bench=none"], 200, {"IMAGE": f"{root}/x86_64/corestorm.elf"}
    )
    run.check_pass(cpus=2)


@pytest.mark.full
def test_clang_builds_for_arm64(tmp_path):
    root = str(tmp_path / "build")
    built = machine.make(machine.ROOT, "kernel", "ARCH=arm64", "CC=clang", f"BUILD_ROOT={root}")
    assert built.returncode == 0, built.stdout + built.stderr
    run = machine.run(
        [machine.RUN_QEMU, "--arch", "arm64", "--smp", "2", "--timeout", "200", "--", "bench=none"], 200,
        {"IMAGE": f"{root}/arm64/Image"},
    )  # fmt: skip
    run.check_pass(cpus=2)
