/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs of the process: one thread each, pinned round robin to the host's processors.
 *
 * The thread that entered main is CPU 0. hw_id is the thread's number. A CPU's slot below is
 * written before its thread exists, except for the atomics; a thread reads nothing of the list that
 * it was started from, which is gone when it runs late.
 */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/percpu.h>
#include <arch/smp.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/process/process.h"
#include "arch/hosted/hosted.h"

struct hosted_cpu *hosted_cpus;
__thread uint32_t hosted_hw_id;

/* Set by arch_cpus_started(): who comes up later stays out. */
static _Atomic bool start_closed;

static cpu_set_t *allowed;
static size_t allowed_bytes;
static uint32_t nr_allowed;

void hosted_cpus_alloc(void)
{
    hosted_cpus =
        aligned_alloc(_Alignof(struct hosted_cpu), hosted_config.cpus * sizeof(*hosted_cpus));
    if (!hosted_cpus)
        process_usage("no memory for smp=%u", hosted_config.cpus);
    memset(hosted_cpus, 0, hosted_config.cpus * sizeof(*hosted_cpus));
}

/* The mask of this process, on hosts of any size (sched_getaffinity(2): EINVAL = too short). */
void hosted_cpu_init(void)
{
    for (uint32_t max = 1024; max <= 1024 * 1024; max *= 2) {
        allowed = CPU_ALLOC(max);
        allowed_bytes = CPU_ALLOC_SIZE(max);
        if (allowed && sched_getaffinity(0, allowed_bytes, allowed) == 0)
            break;
        CPU_FREE(allowed);
        allowed = NULL;
    }
    nr_allowed = allowed ? (uint32_t)CPU_COUNT_S(allowed_bytes, allowed) : 1;
}

uint32_t arch_host_processors(void)
{
    return nr_allowed;
}

uint32_t hosted_processor(uint32_t cpu)
{
    uint32_t nth = cpu % nr_allowed, seen = 0, i = 0;

    while (allowed && (!CPU_ISSET_S(i, allowed_bytes, allowed) || seen++ != nth))
        i++;
    return i;
}

/* The mask with the one processor that carries `cpu`; the caller frees it. NULL: not pinned. */
static cpu_set_t *processor_mask(uint32_t cpu)
{
    cpu_set_t *mask = allowed ? malloc(allowed_bytes) : NULL;

    if (!mask)
        return NULL;
    CPU_ZERO_S(allowed_bytes, mask);
    CPU_SET_S(hosted_processor(cpu), allowed_bytes, mask);
    return mask;
}

/* A CPU that the host does not pin still runs; times then hold what the host's scheduler does. */
void hosted_pin_self(uint32_t cpu)
{
    cpu_set_t *mask = processor_mask(cpu);

    if (mask)
        pthread_setaffinity_np(pthread_self(), allowed_bytes, mask);
    free(mask);
}

int arch_cpu_listed(uint32_t i, uint64_t *hw_id, uint32_t *node)
{
    if (i >= hosted_config.cpus)
        return -ENOENT;
    *hw_id = i;
    *node = 0;
    return 0;
}

uint64_t arch_cpu_hw_id(void)
{
    return hosted_hw_id;
}

static void bind_self_to(uint32_t cpu, uintptr_t base)
{
    *(struct percpu_head *)base =
        (struct percpu_head){.base = base, .cpu_id = cpu, .hw_id = hosted_hw_id};
    hosted_set_cpu_base(base);
}

static char *boot_unit;

/* Before per-CPU areas exist the boot CPU runs on a unit of its own, as on bare metal: this_cpu_*
 * works, percpu_base() does not, and what is written there is gone after arch_cpu_bind_boot(). */
void hosted_boot_unit_init(void)
{
    size_t bytes = (PERCPU_STATIC_OFFSET + percpu_static_bytes() + 4095) & ~4095ul;

    boot_unit = aligned_alloc(4096, bytes);
    if (!boot_unit)
        process_usage("no memory for the boot CPU's variables");
    memcpy(boot_unit + PERCPU_STATIC_OFFSET, percpu_image_start, percpu_static_bytes());
    bind_self_to(0, (uintptr_t)boot_unit);
}

static void bind_self(uint32_t cpu)
{
    bind_self_to(cpu, percpu_base(cpu));
    hosted_cpus[cpu].thread = pthread_self();
    atomic_store_explicit(&hosted_cpus[cpu].up, true, memory_order_release);
}

void arch_cpu_bind_boot(uint32_t cpu)
{
    hosted_pin_self(cpu);
    bind_self(cpu);
    free(boot_unit);
}

static void *thread_main(void *arg)
{
    const struct arch_cpu_start *start = &((struct hosted_cpu *)arg)->start;
    uint32_t cpu = start->cpu;

    hosted_hw_id = (uint32_t)start->hw_id;
    hosted_traps_thread_init(start->stack_top - HOSTED_STACK_BYTES, start->stack_top);
    hosted_pin_self(cpu);
    bind_self(cpu);
    while (atomic_load_explicit(&start_closed, memory_order_acquire))
        pause();
    hook_cpu_entry(cpu);
}

static int start_one(const struct arch_cpu_start *start)
{
    struct hosted_cpu *slot = &hosted_cpus[start->cpu];
    pthread_attr_t attr;
    pthread_t thread;
    int error;

    slot->start = *start;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    error = pthread_attr_setstack(&attr, (void *)(start->stack_top - HOSTED_STACK_BYTES),
                                  HOSTED_STACK_BYTES);
    if (!error)
        error = pthread_create(&thread, &attr, thread_main, slot);
    pthread_attr_destroy(&attr);
    return -error;
}

int arch_cpus_start(const struct arch_cpu_start *list, uint32_t count)
{
    uint32_t started = 0;
    int error = 0;

    for (uint32_t i = 0; i < count; i++) {
        int one = start_one(&list[i]);

        error = one ? one : error;
        started += one == 0;
    }
    return started || !count ? 0 : error;
}

void arch_cpu_start_again(const struct arch_cpu_start *one)
{
    (void)one; /* a thread that was made will run */
}

void arch_cpus_started(void)
{
    atomic_store_explicit(&start_closed, true, memory_order_release);
}

static int signal_cpu(uint32_t cpu, int signal)
{
    if (!atomic_load_explicit(&hosted_cpus[cpu].up, memory_order_acquire))
        return -ESRCH;
    return -pthread_kill(hosted_cpus[cpu].thread, signal);
}

int arch_cpu_probe(uint32_t cpu)
{
    return signal_cpu(cpu, HOSTED_SIGNAL_PROBE);
}

#define STOP_WAIT_US 100000u
#define STOP_STEP_US 1000u

/* Waits until the signalled threads say that they stand still, 100 ms at most. */
void arch_cpus_stop_others(void)
{
    pthread_t self = pthread_self();
    uint32_t asked = 0;

    for (uint32_t cpu = 0; cpu < hosted_config.cpus; cpu++)
        if (!pthread_equal(hosted_cpus[cpu].thread, self))
            asked += signal_cpu(cpu, HOSTED_SIGNAL_STOP) == 0;
    for (uint32_t us = 0; us < STOP_WAIT_US && hosted_traps_stopped() < asked; us += STOP_STEP_US)
        usleep(STOP_STEP_US);
}
