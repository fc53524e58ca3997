/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the numbers can be trusted: what the machine is, and what takes time from it unseen.
 *
 * Gaps: each CPU reads its stamp over and over for a while; two readings further apart than a
 * threshold mean that something else had the CPU (an SMI, a hypervisor, the host's scheduler).
 */
#ifndef BENCH_TRUST_H
#define BENCH_TRUST_H

/* "# meta" lines of the measurement, and sentences about emulated and oversubscribed CPUs.
 * Context: boot CPU, between measurements. */
void trust_report(void);

#endif
