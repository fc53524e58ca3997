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
