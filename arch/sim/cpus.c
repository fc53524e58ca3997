/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs of the simulated machine: coroutines on one host thread, each on its own stack. Who runs is
 * the backend's choice (backend.h); here is what every backend shares.
 *
 * C1. sim_this is the CPU whose stack the process runs on.
 * C2. A CPU whose `started` is false has never run: its stack begins in first_steps().
 */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/mmu.h>
#include <arch/percpu.h>
#include <arch/smp.h>

#include <errno.h>
#include <port/new_stack.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/process/process.h"
#include "arch/sim/sim.h"

void sim_switch_stacks(void **save_sp, void *load_sp);

struct sim_cpu *sim_cpus, *sim_this;
static void *host_sp; /* main()'s, never returned to */
static uint32_t nr_stacks;

void sim_switch_to(struct sim_cpu *next)
{
    struct sim_cpu *from = sim_this;

    if (next == from)
        return;
    sim_this = next;
    sim_switch_stacks(&from->sp, next->sp);
}

void sim_cpus_alloc(void)
{
    sim_cpus = calloc(sim_options.cpus, sizeof(*sim_cpus));
    if (!sim_cpus)
        process_usage("no memory for %u CPUs", sim_options.cpus);
    for (uint32_t i = 0; i < sim_options.cpus; i++) {
        sim_cpus[i].id = i;
        sim_cpus[i].hw_id = i;
        sim_cpus[i].base = percpu_base(i);
    }
}

uintptr_t arch_stack_alloc(size_t bytes)
{
    if (bytes > SIM_STACK_BYTES || nr_stacks >= SIM_MAX_CPUS)
        return 0;
    return sim_stack_make(nr_stacks++);
}

static void set_stack(struct sim_cpu *cpu, uintptr_t top, void (*entry)(void))
{
    cpu->stack_top = top;
    cpu->stack_low = top - SIM_STACK_BYTES;
    cpu->sp = context_new_stack(top, entry);
}

/* Until arch_cpu_bind_boot() the boot CPU runs on a unit of its own, as on bare metal; not a
 * modelled one, since its contents are gone afterwards. */
static void bind_boot_unit(void)
{
    size_t bytes = (PERCPU_STATIC_OFFSET + percpu_static_bytes() + 4095) & ~4095ul;
    char *unit = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (unit == MAP_FAILED)
        process_usage("no memory for the boot CPU's variables");
    memcpy(unit + PERCPU_STATIC_OFFSET, percpu_image_start, percpu_static_bytes());
    sim_cpus[0].base = (uintptr_t)unit;
}

void sim_run_boot_cpu(void (*entry)(void))
{
    bind_boot_unit();
    set_stack(&sim_cpus[0], arch_stack_alloc(SIM_STACK_BYTES), entry);
    sim_this = &sim_cpus[0];
    sim_this->started = true;
    sim_switch_stacks(&host_sp, sim_this->sp);
}

void arch_cpu_bind_boot(uint32_t cpu)
{
    sim_this->base = percpu_base(cpu);
}

uint64_t arch_cpu_hw_id(void)
{
    return sim_this->hw_id;
}

static void first_steps(void)
{
    hook_cpu_entry(sim_this->id);
}

int arch_cpus_start(const struct arch_cpu_start *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct sim_cpu *cpu = &sim_cpus[list[i].hw_id];

        cpu->id = list[i].cpu;
        cpu->base = percpu_base(cpu->id);
        set_stack(cpu, list[i].stack_top, first_steps);
        cpu->started = true;
        sim_backend->cpu_start(cpu);
    }
    return 0;
}

void arch_cpu_start_again(const struct arch_cpu_start *one)
{
    (void)one; /* a coroutine that was made will run */
}

void arch_cpus_started(void)
{
}

void arch_cpu_park(void)
{
    sim_backend->park();
    sim_this->kicked = false;
}

void arch_cpu_kick(uint32_t cpu)
{
    sim_cpus[cpu].kicked = true;
    sim_backend->kick(&sim_cpus[cpu]);
}

/* Hardware ids are numbers here, and the boot CPU has 0, so cpu and hw_id are the same. Another CPU
 * stands still where it gave the host thread away; it is asked on its own behalf. */
int arch_cpu_probe(uint32_t cpu)
{
    struct sim_cpu *me = sim_this, *other = &sim_cpus[cpu];

    if (!other->started || other == me)
        return -ESRCH;
    sim_this = other;
    hook_cpu_probe(context_saved_pc(other->sp), context_saved_frame(other->sp));
    sim_this = me;
    return 0;
}

void arch_cpus_stop_others(void)
{
    if (sim_backend->alone)
        sim_backend->alone();
}

void sim_relax(void)
{
    sim_backend->relax();
}

/* Asked for by tests alone: simulated CPUs have a processor each (core/wait.h). */
void arch_sleep_word(const _Atomic uint32_t *word, uint32_t old)
{
    if (sim_backend->sleep)
        sim_backend->sleep((uintptr_t)word, old);
    else
        sim_relax();
}

void arch_wake_word(const _Atomic uint32_t *word)
{
    if (sim_backend->wake)
        sim_backend->wake((uintptr_t)word);
}

int arch_cpu_listed(uint32_t i, uint64_t *hw_id, uint32_t *node)
{
    struct sim_place place;

    if (i >= sim_options.cpus)
        return -ENOENT;
    *hw_id = i;
    sim_locate(i, &place);
    *node = place.socket;
    return 0;
}
