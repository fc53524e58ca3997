/* SPDX-License-Identifier: Apache-2.0 */
/* What the counter designs say of themselves at CPU counts that this machine does not have. */
#ifndef BENCH_COUNTER_TABLE_H
#define BENCH_COUNTER_TABLE_H

/* Bytes for the 4 counters of an mm and the error bound, by calculation, 1 to 4096 CPUs; with
 * counter_table=N every count up to N in lines for tools:
 *   # table design=tree cpus=33 bound=2943 bytes=452 ours=0
 * where ours=1 stands for the promise never_worse_than_flat. Context: boot CPU. */
void counter_table_report(void);

#endif
