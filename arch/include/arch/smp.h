/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: starting, parking and kicking CPUs. Policy (which, when, deadlines) is core/smp.c's.
 */
#ifndef ARCH_SMP_H
#define ARCH_SMP_H

#include <stdint.h>

struct arch_cpu_start {
    uint32_t cpu;        /* the number that the CPU will have */
    uint64_t hw_id;      /* APIC id, MPIDR affinity */
    uintptr_t stack_top; /* virtual, guarded, 16-byte aligned */
};

/* CPUs that the port itself knows of (hosted, simulated): fills *hw_id and *node for index i, or
 * -ENOENT (-2) past the end. Bare metal has none: firmware tables list them. */
int arch_cpu_listed(uint32_t i, uint64_t *hw_id, uint32_t *node);

/* The hardware id of the CPU that runs this. Context: any, also before per-CPU areas exist. */
uint64_t arch_cpu_hw_id(void);

/* Makes this (the boot) CPU number `cpu`, with its per-CPU unit mapped and its head filled. */
void arch_cpu_bind_boot(uint32_t cpu);

/* Starts `count` CPUs in parallel and returns at once; each that comes up calls hook_cpu_entry()
 * (arch/hooks.h) on its own stack, interrupts masked, per-CPU base set. `list` must stay valid
 * until arch_cpus_started(). 0, or -errno when none can be started at all (no trampoline page). */
int arch_cpus_start(const struct arch_cpu_start *list, uint32_t count) __attribute__((warn_unused_result));

/* Asks once more for CPUs of the list that have not come up (a second SIPI); may do nothing. */
void arch_cpu_start_again(const struct arch_cpu_start *one);

/* Every CPU of the list is up or given up: the trampoline is taken back. A CPU that wakes after
 * this must do no harm: it finds a halt loop. */
void arch_cpus_started(void);

/* Halts this CPU until it is kicked (or, rarely, for nothing). A kick sent before the halt is not
 * lost. Context: interrupts masked; returns with them masked. Costs the others nothing. */
void arch_cpu_park(void);
void arch_cpu_kick(uint32_t cpu);

/* Interrupts `cpu` even where it has masked interrupts, so that it prints where it is
 * (hook_cpu_probe). Returns -ENOSYS where the port cannot. */
int arch_cpu_probe(uint32_t cpu);

/* Stops every other CPU for good (panic). Bounded; those that do not stop are left. */
void arch_cpus_stop_others(void);

#endif
