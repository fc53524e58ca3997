/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting CPUs, parking and kicking them.
 *
 *   firmware.c ──> secondary_entry (early_entry.S): its record by MPIDR → claims it →
 *   secondary_main()
 *
 * I1. A CPU uses its stacks only after it has moved its state from STARTING to RUNNING; at the end
 *     all that are still STARTING are GIVEN_UP, in one atomic step each. So a CPU that wakes late
 *     halts, and its stacks are never used for anything else.
 * I2. A kick is not lost: before the park it stays pending in the interrupt controller; taken with
 *     another interrupt (sleep.c) it is remembered in `kicked`. Without a controller a park is a
 *     WFE, whose event register remembers the SEV of a kick.
 */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/mmu.h>
#include <arch/smp.h>

#include "arch/arm64/arm64.h"
#include "arch/arm64/early.inc"

#define EXCEPTION_STACK_BYTES 8192u
#define STOP_SPINS_MAX 100000000u

_Static_assert(offsetof(struct arm64_cpu, hw_id) == ARM64_CPU_HW_ID, "early.inc");
_Static_assert(offsetof(struct arm64_cpu, stack_top) == ARM64_CPU_STACK, "early.inc");
_Static_assert(offsetof(struct arm64_cpu, exception_stack_top) == ARM64_CPU_EXCEPTION_STACK,
               "early.inc");
_Static_assert(offsetof(struct arm64_cpu, state) == ARM64_CPU_STATE, "early.inc");
_Static_assert((int)ARM64_CPU_STATE_STARTING == ARM64_CPU_STARTING, "early.inc");
_Static_assert((int)ARM64_CPU_STATE_RUNNING == ARM64_CPU_RUNNING, "early.inc");

_Noreturn void secondary_main(struct arm64_cpu *me);

PERCPU_STATIC struct arm64_cpu arm64_cpu_percpu;

uint32_t arm64_nr_cpus = 1;

int arch_cpu_listed(uint32_t i, uint64_t *hw_id, uint32_t *node)
{
    return -ARM64_ENOENT;
}

uint64_t arch_cpu_hw_id(void)
{
    return READ_SYSREG(mpidr_el1) & MPIDR_AFFINITY;
}

/* SErrors and FIQs are taken from here on; IRQs never are. */
static void unmask(void)
{
    __asm__ volatile("msr daifclr, #5" : : : "memory");
}

void arch_cpu_bind_boot(uint32_t cpu)
{
    struct arm64_cpu *me = arm64_cpu(cpu);
    uintptr_t stack = arch_stack_alloc(EXCEPTION_STACK_BYTES);

    if (!stack)
        hook_panic("no memory for the boot CPU's exception stack");
    me->hw_id = arch_cpu_hw_id();
    me->exception_stack_top = stack;
    atomic_store_explicit(&me->state, ARM64_CPU_STATE_RUNNING, memory_order_relaxed);
    WRITE_SYSREG(tpidr_el1, percpu_base(cpu));
    /* SP_EL1 can only be written from EL1 while it is the stack pointer in use. */
    __asm__ volatile("msr spsel, #1\n\tmov sp, %0\n\tmsr spsel, #0" : : "r"(stack) : "memory");
}

_Noreturn void secondary_main(struct arm64_cpu *me)
{
    mmu_setup_cpu();
    arm64_setup_cpu();
    gic_init_cpu();
    unmask();
    hook_cpu_entry(this_cpu_id());
}

/* Everything that the CPU needs before it can ask for anything. */
static int prepare(const struct arch_cpu_start *start)
{
    struct arm64_cpu *cpu = arm64_cpu(start->cpu);

    cpu->hw_id = start->hw_id;
    cpu->stack_top = start->stack_top;
    cpu->exception_stack_top = arch_stack_alloc(EXCEPTION_STACK_BYTES);
    if (!cpu->exception_stack_top)
        return -ARM64_ENOMEM;
    if (start->cpu >= arm64_nr_cpus)
        arm64_nr_cpus = start->cpu + 1;
    atomic_store_explicit(&cpu->state, ARM64_CPU_STATE_STARTING, memory_order_release);
    return 0;
}

static bool is_waiting(const struct arch_cpu_start *start)
{
    return atomic_load_explicit(&arm64_cpu(start->cpu)->state, memory_order_acquire) ==
           ARM64_CPU_STATE_STARTING;
}

int arch_cpus_start(const struct arch_cpu_start *list, uint32_t count)
{
    int error = 0;

    for (uint32_t i = 0; i < count && !error; i++)
        error = prepare(&list[i]);
    if (!error)
        error = arm64_sleep_init();
    if (error)
        return error;
    (void)gic_init_boot();
    gic_init_cpu();
    unmask();
    /* The records are in memory before a CPU looks for its own. */
    __asm__ volatile("dsb ish" : : : "memory");
    for (uint32_t i = 0; i < count; i++)
        arch_cpu_start_again(&list[i]);
    return 0;
}

void arch_cpu_start_again(const struct arch_cpu_start *one)
{
    if (is_waiting(one))
        (void)firmware_start_cpu(one->hw_id, arm64_image_phys(secondary_entry));
}

void arch_cpus_started(void)
{
    for (uint32_t cpu = 1; cpu < arm64_nr_cpus; cpu++) {
        uint32_t starting = ARM64_CPU_STATE_STARTING;

        (void)atomic_compare_exchange_strong_explicit(&arm64_cpu(cpu)->state, &starting,
                                                      ARM64_CPU_STATE_GIVEN_UP,
                                                      memory_order_acq_rel, memory_order_relaxed);
    }
}

bool arm64_is_running(uint32_t cpu)
{
    return atomic_load_explicit(&arm64_cpu(cpu)->state, memory_order_acquire) ==
           ARM64_CPU_STATE_RUNNING;
}

void arch_cpu_park(void)
{
    struct arm64_cpu *me = arm64_this_cpu();

    if (!gic_works()) {
        /* A stale exclusive monitor would end the wait when somebody writes that line. */
        __asm__ volatile("clrex\n\twfe" : : : "memory");
        return;
    }
    if (!atomic_load_explicit(&me->kicked, memory_order_relaxed))
        __asm__ volatile("wfi" : : : "memory");
    atomic_store_explicit(&me->kicked, 0, memory_order_relaxed);
    (void)sleep_take(me);
}

void arch_cpu_kick(uint32_t cpu)
{
    if (!gic_kick(cpu))
        __asm__ volatile("dsb ish\n\tsev" : : : "memory");
}

static bool ask(uint32_t cpu, enum arm64_fiq_work work)
{
    atomic_fetch_or_explicit(&arm64_cpu(cpu)->fiq_work, work, memory_order_release);
    return gic_send_fiq(cpu);
}

void arm64_fiq(const struct trap_frame *frame)
{
    struct arm64_cpu *me = arm64_this_cpu();
    uint32_t work = atomic_exchange_explicit(&me->fiq_work, 0, memory_order_acquire);

    gic_take_fiq();
    if (work & FIQ_STOP) {
        atomic_store_explicit(&me->state, ARM64_CPU_STATE_GIVEN_UP, memory_order_release);
        arch_halt();
    }
    if (work & FIQ_PROBE)
        hook_cpu_probe(frame->pc, frame->x[29]);
}

int arch_cpu_probe(uint32_t cpu)
{
    return arm64_is_running(cpu) && ask(cpu, FIQ_PROBE) ? 0 : -ARM64_ENOSYS;
}

/* A parked CPU stays parked in any case. */
void arch_cpus_stop_others(void)
{
    uint32_t me = this_cpu_id();

    for (uint32_t cpu = 0; cpu < arm64_nr_cpus; cpu++)
        if (cpu != me && arm64_is_running(cpu) && !ask(cpu, FIQ_STOP))
            return;
    for (uint32_t cpu = 0, spins = 0; cpu < arm64_nr_cpus && spins < STOP_SPINS_MAX; spins++)
        if (cpu == me || !arm64_is_running(cpu))
            cpu++;
}
