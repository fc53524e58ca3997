/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock profile of a storm: a pass of its own, on the most CPUs, for storms with profile_locks.
 * Prints, for each lock class that was taken,
 *   # lock storm=exec design=flat cpus=4 class="…" acq=… cont=… wait_ns=… hold_ns=… wait_max_ns=…
 *     stalls=… (holders that lost their processor, not in hold_ns)
 * and one line that names the bottleneck: the class with the most total wait time. Where waits are
 * below 5 % of the CPUs' time, or where CPUs outnumber processors (waits are then time slices), the
 * shared one that was held longest, which is the one that more CPUs would wait for first;
 * none when that is below 5 % of the time. Behind
 * the last design one line lays the bottlenecks side by side, so that a design that moves it is
 * seen. What is printed is the fastest of several windows.
 */
#ifndef BENCH_LOCK_PASS_H
#define BENCH_LOCK_PASS_H

#include "bench/plan.h"

void lock_pass(const struct block *block, uint32_t case_index, const struct row *row);

#endif
