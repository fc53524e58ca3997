# SPDX-License-Identifier: Apache-2.0
"""With --icount an instruction takes one ns of the machine's time: two runs give the same digits."""


def test_two_runs_give_the_same_numbers(qemu):
    first, second = (
        qemu("bench=lifecycle,update", "quick", "seed=1", smp=1, icount=True, timeout=300)
        .check_pass(cpus=1)
        .report.samples
        for _ in range(2)
    )
    assert first and first == second


# Linux 6.12 (QEMU 10, -icount, one CPU, the loop's 3 instructions included): instructions an
# operation. Ours may be half of each.
LINUX = {
    "Primitives/op=percpu4-1": 1373,
    "Primitives/op=page0-1": 841,
    "Primitives/op=slab192-1": 198,
    "Lifecycle/design=flat-single/ctr=4-1": 6324,
    "Lifecycle/design=flat/ctr=4-1": 2159,
    "Update/design=flat/obj=private/inc=p1-1": 34.6,
    "Read/design=flat/sum=precise-1": 106,
}
GROUPED_OF_SINGLE = 0.40


def test_half_of_linux(qemu):
    run = qemu("bench=primitives,lifecycle,update,read", "quick", "selftest=none", smp=1,
               icount=True, timeout=300).check_pass(cpus=1)
    ours = run.report.medians()
    for name, linux in LINUX.items():
        assert ours[name] <= linux / 2, f"{name}: {ours[name]}, Linux {linux}\n{run.explain()}"
    single = ours["Lifecycle/design=flat-single/ctr=4-1"]
    assert ours["Lifecycle/design=flat/ctr=4-1"] <= GROUPED_OF_SINGLE * single, run.explain()
