/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CPU asks of the others whether they have masked interrupts or not: to say where they are,
 * to stop, to forget their cached translations.
 *
 * I1. An NMI is counted and its work set before it is sent; work is taken by one exchange, so that
 *     an NMI may arrive whose work an earlier one took: it is swallowed, as many as were sent. One
 *     more than were sent is the hardware's, and is dumped. (NMIs that arrive together become one,
 *     and who sent them cannot know: the hardware's next may then be taken for the missing one.)
 */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/smp.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

#define STOP_STEP_NS 50000u
#define STOP_STEPS 200u
#define FLUSH_STEP_NS 1000u
#define FLUSH_STEPS 5000000u

static _Atomic uint32_t flush_generation;
static _Atomic uint32_t nr_stopped;

static void flush_here(struct x86_cpu *me)
{
    uint32_t generation = atomic_load_explicit(&flush_generation, memory_order_acquire);

    write_cr3(read_cr3());
    /* Release: whoever sees the generation knows that no old translation is used any more. */
    atomic_store_explicit(&me->flushed, generation, memory_order_release);
}

void x86_nmi_ask(struct x86_cpu *to, enum x86_nmi_work work)
{
    atomic_fetch_add_explicit(&to->nmi_sent, 1, memory_order_relaxed);
    /* Release: whoever takes the work sees that it was counted. */
    atomic_fetch_or_explicit(&to->nmi_work, work, memory_order_release);
}

bool x86_nmi_take(struct x86_cpu *me, uint32_t *work)
{
    *work = atomic_exchange_explicit(&me->nmi_work, 0, memory_order_acquire);
    if (!atomic_load_explicit(&me->nmi_sent, memory_order_relaxed))
        return false;
    /* Taken from by its own CPU alone, in here, where NMIs are masked. */
    atomic_fetch_sub_explicit(&me->nmi_sent, 1, memory_order_relaxed);
    return true;
}

bool x86_nmi(const struct trap_frame *frame)
{
    struct x86_cpu *me = x86_this_cpu();
    uint32_t work;

    if (!x86_nmi_take(me, &work))
        return false;
    if (work & NMI_STOP) {
        atomic_fetch_add_explicit(&nr_stopped, 1, memory_order_release);
        arch_halt();
    }
    if (work & NMI_FLUSH)
        flush_here(me);
    if (work & NMI_PROBE)
        hook_cpu_probe(frame->rip, frame->rbp);
    return true;
}

static bool send(uint32_t cpu, enum x86_nmi_work work)
{
    x86_nmi_ask(x86_cpu(cpu), work);
    return lapic_send(x86_head(cpu)->hw_id, ICR_NMI);
}

int arch_cpu_probe(uint32_t cpu)
{
    if (cpu >= x86_nr_cpus || !x86_is_running(cpu) || !send(cpu, NMI_PROBE))
        return -X86_ENODEV;
    return 0;
}

void arch_cpus_stop_others(void)
{
    uint32_t asked = 0;

    if (x86_nr_cpus == 1)
        return;
    for (uint32_t cpu = 0; cpu < x86_nr_cpus; cpu++)
        if (cpu != this_cpu_id() && x86_is_running(cpu))
            asked += send(cpu, NMI_STOP);
    for (unsigned i = 0; i < STOP_STEPS; i++) {
        if (atomic_load_explicit(&nr_stopped, memory_order_acquire) >= asked)
            break;
        hook_delay_ns(STOP_STEP_NS);
    }
}

static void wait_for_flush(uint32_t cpu, uint32_t generation)
{
    for (unsigned i = 0; i < FLUSH_STEPS; i++) {
        uint32_t done = atomic_load_explicit(&x86_cpu(cpu)->flushed, memory_order_acquire);

        if ((int32_t)(done - generation) >= 0)
            return;
        hook_delay_ns(FLUSH_STEP_NS);
    }
    hook_panic("CPU %u does not answer the request to flush its TLB", cpu);
}

void x86_flush_all_cpus(void)
{
    uint32_t generation = atomic_fetch_add_explicit(&flush_generation, 1, memory_order_acq_rel) + 1;

    flush_here(x86_this_cpu());
    for (uint32_t cpu = 0; x86_nr_cpus > 1 && cpu < x86_nr_cpus; cpu++)
        if (cpu != this_cpu_id() && x86_is_running(cpu))
            (void)send(cpu, NMI_FLUSH);
    for (uint32_t cpu = 0; x86_nr_cpus > 1 && cpu < x86_nr_cpus; cpu++)
        if (cpu != this_cpu_id() && x86_is_running(cpu))
            wait_for_flush(cpu, generation);
}
