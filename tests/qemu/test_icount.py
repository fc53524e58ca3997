# SPDX-License-Identifier: Apache-2.0
"""With --icount an instruction takes one ns of the machine's time: two runs give the same digits."""

import pytest


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


# Our designs, and the published one that each stands beside: not above it in any case.
PUBLISHED = {
    "flat-split": "flat",
    "slots": "tree",
    "tree-fit": "tree",
    "tree-topo": "tree",
    "tree-exact": "tree",
    "tree-fit-lazy": "tree-lazy",
}
UPDATE_CASES = [f"obj={obj}/inc={inc}" for obj in ("mm", "private") for inc in ("p1", "pm32", "pm512")]
# The sum that is the total at one instant, against the published walk over leaves and items.
LINEARIZABLE_OF_WALK = 1.5
ARM64_LLSC = {"arch": "arm64", "cpu": "cortex-a57"}
ARM64_LSE = {"arch": "arm64", "cpu": "max"}
SHARE_OF_PROLOGUE = 0.1  # what a loop does once, shared out over its operations


@pytest.mark.parametrize(
    "smp, machine", [(1, {}), (96, {}), (1, ARM64_LLSC), (1, ARM64_LSE), pytest.param(96, ARM64_LSE, marks=pytest.mark.full)]
)
def test_our_designs_against_the_published(qemu, smp, machine):
    designs = sorted({*PUBLISHED, *PUBLISHED.values()})
    run = qemu("bench=update,read", "full", "cpus=1", "samples=1", "window_us=1000", "seed=1", "selftest=none",
               f"designs={','.join(designs)}", smp=smp, icount=True, timeout=300, **machine).check_pass(cpus=smp)
    ours = run.report.medians()
    for design, published in PUBLISHED.items():
        for case in UPDATE_CASES:
            new, old = (ours[f"Update/design={d}/{case}-1"] for d in (design, published))
            assert new <= old + SHARE_OF_PROLOGUE, f"{design} {case}: {new}, {published}: {old}\n{run.explain()}"
    linearizable, walk = (ours[f"Read/design={d}/sum=precise-1"] for d in ("tree-exact", "tree"))
    assert linearizable <= LINEARIZABLE_OF_WALK * walk, run.explain()
