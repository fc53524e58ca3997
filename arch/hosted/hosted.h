/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the hosted port share. */
#ifndef ARCH_HOSTED_H
#define ARCH_HOSTED_H

#include <arch/smp.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the command line asked of the port itself; set before kernel_main. */
struct hosted_config {
    uint32_t cpus;
    uint64_t memory_bytes;
};
extern struct hosted_config hosted_config;

#define HOSTED_MAX_CPUS 4096u

/* Every stack has this size, whatever was asked: sanitizers multiply frames, and the thread library
 * keeps its own data in it. */
#define HOSTED_STACK_BYTES (2ul << 20)

/* Arena and regions (memory.c). */
void hosted_memory_init(void);

/* What the port keeps for each CPU, on lines of its own. */
struct hosted_cpu {
    struct arch_cpu_start start;
    pthread_t thread;
    _Atomic bool up; /* `thread` is valid */
    _Atomic uint32_t kicked;
} __attribute__((aligned(128)));
extern struct hosted_cpu *hosted_cpus;

/* cpu.c: finds the processors of the host; makes the slots of hosted_config.cpus CPUs. */
void hosted_cpu_init(void);
void hosted_cpus_alloc(void);
void hosted_boot_unit_init(void);
/* Pins the calling thread to the processor that carries `cpu`, round robin. */
void hosted_pin_self(uint32_t cpu);
extern __thread uint32_t hosted_hw_id;
/* The host's number of that processor. */
uint32_t hosted_processor(uint32_t cpu);

/* trap.c: fault handlers of the process; signal stack and stack bounds of the calling thread. */
void hosted_traps_init(void);
void hosted_traps_thread_init(uintptr_t stack_low, uintptr_t stack_top);
#define HOSTED_SIGNAL_PROBE SIGUSR1
#define HOSTED_SIGNAL_STOP SIGUSR2
/* Threads that stand still after HOSTED_SIGNAL_STOP. */
uint32_t hosted_traps_stopped(void);

#endif
