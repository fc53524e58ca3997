/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: what machine this is, the earliest output, the end, and a look at the stack.
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GOOS and GOARCH of the report: "none"/"linux", "amd64"/"arm64". */
const char *arch_goos(void);
const char *arch_goarch(void);

/* Brand string of the processor, terminated, printable ASCII. */
void arch_cpu_model(char *text, size_t bytes);

/* "none", "tcg", "kvm", "vmware", …, "hosted", "sim": what the CPUs themselves say. */
const char *arch_virt(void);
/* True when instructions are translated by software, so that times are not a machine's. */
bool arch_is_emulated(void);

/* Whether our CPUs may share processors with others: under any hypervisor or emulator. */
bool arch_virt_may_share(void);

/* How many processors carry our CPUs where the port can know (hosted); 0 = unknown or one each. */
uint32_t arch_host_processors(void);

/* First steps of the port on the boot CPU: traps, features. No memory is available yet. */
void arch_early_init(void);

/* One line of the port's active features for the report's `# meta`: "x2apic=1 invariant_tsc=1". */
void arch_describe(char *text, size_t bytes);
/* Further such lines: figures of a machine that is a model. Line i, NULL past the last; weak and
 * absent in ports of real machines. */
const char *arch_describe_model(uint32_t i) __attribute__((weak));

/* Parameters that the port itself takes out of the command line: line i of their help, NULL past the
 * end; weak and absent where all of them are the kernel's. */
const char *arch_param_line(uint32_t i) __attribute__((weak));

/* Output before any console driver is found, and when the machine has none: bounded, may drop. */
void arch_early_write(const char *text, size_t bytes);
/* Whether arch_early_write is a real console by itself (hosted): console drivers are not needed. */
bool arch_early_is_console(void);

/* Leaves with the verdict where the port itself can (hosted: exit status); returns otherwise, and
 * core/power.c tries the registered methods. */
void arch_power_off(int exit_status);
/* The end of the road: masks interrupts and halts. */
_Noreturn void arch_halt(void);

/* Return addresses of the caller's stack, innermost first; frame = 0 for the current one. Bounded
 * by `max` and by the stack; never faults. */
unsigned arch_backtrace(uintptr_t frame, uintptr_t *pcs, unsigned max);

/* SMIs since power-on of this CPU where counted (MSR 34h on Intel), else UINT64_MAX. */
uint64_t arch_smi_count(void);

#endif
