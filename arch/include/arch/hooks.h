/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a port may call: the few functions that core implements for it. A port includes nothing
 * else of core.
 */
#ifndef ARCH_HOOKS_H
#define ARCH_HOOKS_H

#include <stdint.h>

struct boot_handoff;

/* The kernel proper; a boot path ends in it, on the boot CPU's stack, interrupts masked. */
_Noreturn void kernel_main(const struct boot_handoff *handoff);

/* A started CPU arrives here (arch/smp.h). */
_Noreturn void hook_cpu_entry(uint32_t cpu);

/* The port cannot start this CPU of arch_cpus_start()'s list: it is reported, and not waited for.
 * Context: the boot CPU, in arch_cpus_start(). */
void hook_cpu_not_started(uint32_t cpu, const char *why);

/* This CPU was asked by arch_cpu_probe(); pc and frame are those of the interrupted code. */
void hook_cpu_probe(uintptr_t pc, uintptr_t frame);

/* A zeroed page for a page table: its physical address, 0 when there is none. */
uint64_t hook_table_page(void);
/* A page below 1 MiB for the real-mode trampoline: from the memory map, 0 when there is none. */
uint64_t hook_low_page(void);

/* Waits for at least `ns`, busily. Context: any, also before the time stamp's rate is known. */
void hook_delay_ns(uint64_t ns);

/* One line of the dump of an exception; then hook_exception_end() panics. */
void hook_exception_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void hook_exception_end(const char *what, uintptr_t pc, uintptr_t frame);

_Noreturn void hook_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
