# SPDX-License-Identifier: Apache-2.0
"""What goes wrong is said, with a failing verdict and within its time; what can be survived is."""

import pytest

BOOT_ONLY = ("selftest=none", "bench=none")


@pytest.fixture(params=["qemu", "hosted"])
def boot(request):
    """The same faults on the emulated machine and in the process."""
    return request.getfixturevalue(request.param)


def test_planted_panic(boot):
    run = boot(*BOOT_ONLY, "plant=panic", smp=2, timeout=60)
    run.check_fail("planted by plant=panic", "kernel_main+")


@pytest.mark.parametrize("smp", [1, 2])
@pytest.mark.parametrize(
    "fault, said, where",
    [
        ("null", "read of what is not mapped at 0000000000000008", "plant_here+"),
        ("execute", "execution of what is not executable", "hardware id"),
        ("overflow", "the stack has overflowed", "deeper"),
    ],
)
def test_planted_fault_is_dumped(qemu, fault, said, where, smp):
    """Registers, the CPU at fault, and a symbolised backtrace, on the boot CPU and on another."""
    run = qemu(*BOOT_ONLY, f"plant={fault}", smp=smp, timeout=60)
    run.check_fail(said, where, f"on CPU {smp - 1}", "# exception #", "rip ", "cr2 ")


def test_planted_fault_in_the_process(hosted):
    run = hosted(*BOOT_ONLY, "plant=null", smp=2, timeout=60)
    run.check_fail("Segmentation fault", "plant_here+")


def test_planted_selftest_failure(boot):
    run = boot("bench=none", "plant=selftest", smp=2, timeout=120)
    run.check_whole().check_fail()
    assert [name for name, ok in run.report.tests.items() if not ok], run.explain()


def test_self_test_whose_cpus_stay_away_is_the_last(boot):
    run = boot("bench=none", "selftest=selftest", "plant=straggler", smp=2, timeout=60)
    run.check_fail("Bail out! selftest.all_come_back: CPUs did not come back", "wait_for_value+")


@pytest.mark.parametrize("where", ["hang", "hang-boot"])
def test_planted_hang_is_found_by_the_image(boot, where):
    """The image has deadlines of its own for a CPU that does not come back, the boot CPU too."""
    run = boot("selftest=none", "bench=baseline", "quick", f"plant={where}", smp=2, timeout=200)
    run.check_fail("has not come back")


def test_time_out_of_the_runner(qemu):
    run = qemu("quick", smp=2, timeout=1)
    assert run.status == 124, run.explain()
    assert "no end within 1 s" in run.stderr and "last lines" in run.stderr


def test_unknown_parameter_is_named_and_survived(boot):
    run = boot(*BOOT_ONLY, "no_such_thing=7", smp=1).check_pass(cpus=1)
    assert any("no_such_thing" in line for line in run.report.warnings), run.explain()
    assert run.report.number("parameter_errors") == 1, run.explain()


@pytest.mark.parametrize("wrong", ["samples=many", "cpus=0", "cpus=1,x", "maxcpus=-1"])
def test_malformed_parameter_is_named_and_survived(boot, wrong):
    run = boot(*BOOT_ONLY, wrong, smp=2).check_pass(cpus=2)
    assert any(wrong in line for line in run.report.warnings), run.explain()
    assert run.report.number("parameter_errors") == 1, run.explain()


def test_several_errors_are_all_counted(boot):
    run = boot(*BOOT_ONLY, "a=1", "b=2", "seed=oops", smp=1).check_pass(cpus=1)
    assert run.report.number("parameter_errors") == 3, run.explain()


def test_parameter_list(boot):
    run = boot(*BOOT_ONLY, "list", smp=1).check_pass(cpus=1)
    for name in ("bench", "selftest", "cpus", "maxcpus"):
        assert f"\n#   {name} " in run.stdout, run.explain()
