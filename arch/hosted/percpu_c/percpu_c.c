/* SPDX-License-Identifier: Apache-2.0 */
/* The address of this thread's per-CPU unit, for the plain C form of this_cpu_*. */
#include <arch/percpu.h>

__thread uintptr_t hosted_cpu_base;
