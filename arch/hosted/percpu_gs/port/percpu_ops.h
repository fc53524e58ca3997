/* SPDX-License-Identifier: Apache-2.0 */
/* The unit of this thread's CPU through gs, as in the kernel: the C library leaves gs to the
 * program (System V ABI for x86-64, 3.4.6: thread-local storage is fs). */
#ifndef PORT_PERCPU_OPS_H
#define PORT_PERCPU_OPS_H

#include <port/percpu_gs.h>

/* By a system call, since the host may have switched WRGSBASE off (arch_prctl(2)). */
void hosted_set_cpu_base(uintptr_t base);

#endif
