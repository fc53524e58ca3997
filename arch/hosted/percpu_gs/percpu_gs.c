/* SPDX-License-Identifier: Apache-2.0 */
/* Points gs of the calling thread at its CPU's per-CPU unit. */
#include <arch/hooks.h>
#include <arch/percpu.h>

#include <asm/prctl.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void hosted_set_cpu_base(uintptr_t base)
{
    if (syscall(SYS_arch_prctl, ARCH_SET_GS, base) != 0)
        hook_panic("the host does not set gs: %s", strerror(errno));
}
