/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting CPUs, and handing them work.
 *
 *   boot CPU                         other CPU
 *   fn, arg ─ posted++ (release) ──> sees posted (acquire), runs fn(arg)
 *             kick                    remaining-- (release), wakes
 *   remaining == 0 (acquire) <──────
 *
 * I1. Between two pieces of work a CPU is halted (arch_cpu_park).
 * I2. `posted` is written by the boot CPU only, `taken` by its CPU only; work is pending while they
 *     differ. The slot's fn and arg are stable while work is pending or running.
 * I3. A CPU that starts sees all that was written before arch_cpus_start(): the port puts a barrier
 *     between its records and the starting (x86-64: strong order; arm64: DSB, smp.c).
 * I4. A CPU leaves STARTING once, to ONLINE or to FAILED; only CPUs that are ONLINE get work.
 */
#include "core/smp.h"

#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/mmu.h>
#include <arch/smp.h>

#include "core/errno.h"
#include "core/format.h"
#include "core/log.h"
#include "core/panic.h"
#include "core/param.h"
#include "core/percpu.h"
#include "core/slab.h"
#include "core/time.h"
#include "core/wait.h"

#define STACK_BYTES 16384u
#define PROBE_PCS 16u
#define PROBE_MS 100u
#define ABSENT_BYTES 160u

struct work_slot {
    _Atomic uint32_t posted;
    uint32_t taken;
    _Atomic uint32_t busy;
    void (*fn)(void *arg);
    void *arg;
    _Atomic uint32_t *remaining;
};

/* What a probed CPU leaves for the one that asked. */
struct probe_slot {
    _Atomic uint32_t ready;
    uint32_t nr_pcs;
    uintptr_t pcs[PROBE_PCS];
};

static PERCPU_STATIC struct work_slot work_percpu;
static PERCPU_STATIC struct probe_slot probe_percpu;
static _Atomic uint32_t nr_starting;

/* Firmware may list as enabled what was never plugged in. */
static int64_t absent_cpus;
PARAM_NUMBER(absent_cpus, "absent_cpus", absent_cpus, 0, UINT32_MAX, "a number of CPUs",
             "so many of the listed CPUs may not start, and the run does not fail");

static void run_pending(struct work_slot *slot)
{
    uint32_t posted = atomic_load_explicit(&slot->posted, memory_order_acquire);
    _Atomic uint32_t *remaining;

    if (posted == slot->taken)
        return;
    slot->taken = posted;
    remaining = slot->remaining;
    slot->fn(slot->arg);
    atomic_store_explicit(&slot->busy, 0, memory_order_relaxed);
    /* Release: what fn wrote is seen by the boot CPU once it sees 0. */
    atomic_fetch_sub_explicit(remaining, 1, memory_order_release);
    wait_wake(remaining);
}

/* STARTING ends once: by the CPU itself, or by the boot CPU that gives it up (I3). Release: whoever
 * sees ONLINE sees the CPU's set-up; acquire: and the loser sees what the winner made of it. */
static bool leave_starting(uint32_t cpu, uint32_t state)
{
    uint32_t starting = CPU_STARTING;

    return atomic_compare_exchange_strong_explicit(&cpu_get(cpu)->state, &starting, state,
                                                   memory_order_acq_rel, memory_order_acquire);
}

_Noreturn void hook_cpu_entry(uint32_t cpu)
{
    struct work_slot *slot = this_cpu_ptr(work_percpu);

    topology_check_here(cpu);
    if (!leave_starting(cpu, CPU_ONLINE))
        arch_halt(); /* given up meanwhile: too late */
    atomic_fetch_sub_explicit(&nr_starting, 1, memory_order_release);
    for (;;) {
        arch_cpu_park();
        run_pending(slot);
    }
}

static void say_absent(uint32_t more, const char *what)
{
    static uint32_t absent;

    absent += more;
    if (absent > absent_cpus)
        report_fail("%s", what);
    else
        log_warn("%s (absent_cpus=%lld)", what, (long long)absent_cpus);
}

void hook_cpu_not_started(uint32_t cpu, const char *why)
{
    char what[ABSENT_BYTES];

    if (!leave_starting(cpu, CPU_FAILED))
        return;
    format_text(what, sizeof(what), "CPU %u (hardware id %llu) cannot be started: %s", cpu,
                (unsigned long long)cpu_get(cpu)->hw_id, why);
    say_absent(1, what);
    atomic_fetch_sub_explicit(&nr_starting, 1, memory_order_relaxed); /* read by this CPU only */
}

void hook_cpu_probe(uintptr_t pc, uintptr_t frame)
{
    struct probe_slot *probe = this_cpu_ptr(probe_percpu);

    probe->pcs[0] = pc;
    probe->nr_pcs = 1 + arch_backtrace(frame, probe->pcs + 1, PROBE_PCS - 1);
    atomic_store_explicit(&probe->ready, 1, memory_order_release);
}

void smp_probe_and_print(uint32_t cpu)
{
    struct probe_slot *probe = per_cpu_ptr(probe_percpu, cpu);
    uint64_t end = arch_stamp_loose() + time_ms_to_ticks(PROBE_MS);

    atomic_store_explicit(&probe->ready, 0, memory_order_relaxed);
    if (arch_cpu_probe(cpu) != 0)
        return;
    while (!atomic_load_explicit(&probe->ready, memory_order_acquire)) {
        cpu_relax();
        if (arch_stamp_loose() > end) {
            log_line("CPU %u does not answer a non-maskable interrupt", cpu);
            return;
        }
    }
    log_line("CPU %u is at:", cpu);
    backtrace_print_pcs(probe->pcs, probe->nr_pcs);
}

static void post(uint32_t cpu, void (*fn)(void *), void *arg, _Atomic uint32_t *remaining)
{
    struct work_slot *slot = per_cpu_ptr(work_percpu, cpu);

    slot->fn = fn;
    slot->arg = arg;
    slot->remaining = remaining;
    atomic_store_explicit(&slot->busy, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->posted, 1, memory_order_release); /* publishes the slot */
    arch_cpu_kick(cpu);
}

static void name_the_missing(const uint32_t *cpus, uint32_t count, uint32_t ms)
{
    for (uint32_t i = 0; i < count; i++) {
        struct work_slot *slot = per_cpu_ptr(work_percpu, cpus[i]);

        if (!atomic_load_explicit(&slot->busy, memory_order_relaxed))
            continue;
        log_warn("CPU %u (hardware id %llu) has not come back after %u ms", cpus[i],
                 (unsigned long long)cpu_get(cpus[i])->hw_id, ms);
        smp_probe_and_print(cpus[i]);
    }
}

int smp_run(const uint32_t *cpus, uint32_t count, void (*fn)(void *arg), void *arg, uint32_t ms)
{
    /* Not on the stack: a CPU that comes back after the time-out still counts it down. */
    static _Atomic uint32_t remaining;
    static bool broken;
    bool here = false;
    uint32_t others = 0;

    if (broken)
        return -CS_EIO;
    for (uint32_t i = 0; i < count; i++)
        others += cpus[i] != this_cpu_id();
    atomic_store_explicit(&remaining, others, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        if (cpus[i] == this_cpu_id())
            here = true;
        else
            post(cpus[i], fn, arg, &remaining);
    }
    if (here)
        fn(arg);
    if (wait_for_value(&remaining, 0, ms))
        return 0;
    broken = true;
    name_the_missing(cpus, count, ms);
    return -CS_ETIMEDOUT;
}

int smp_run_all(void (*fn)(void *arg), void *arg, uint32_t ms)
{
    uint32_t *list = kmalloc(nr_cpus * sizeof(*list));
    uint32_t count = 0;
    int error;

    if (!list)
        return -CS_ENOMEM;
    for (CPUMASK_EACH(&cpus_online, cpu))
        list[count++] = cpu;
    error = smp_run(list, count, fn, arg, ms);
    kfree(list);
    return error;
}

/* The list of those to start, each with its stack. CPUs without a stack stay behind. */
static struct arch_cpu_start *start_list(uint32_t *count)
{
    struct arch_cpu_start *list = kzalloc(nr_cpus * sizeof(*list));

    *count = 0;
    if (!list)
        return NULL;
    for (uint32_t id = 1; id < nr_cpus; id++) {
        struct cpu *cpu = cpu_get(id);

        cpu->stack_top = arch_stack_alloc(STACK_BYTES);
        if (!cpu->stack_top) {
            log_warn("no memory for the stack of CPU %u and those after it", id);
            break;
        }
        atomic_store_explicit(&cpu->state, CPU_STARTING, memory_order_relaxed);
        list[(*count)++] = (struct arch_cpu_start){id, cpu->hw_id, cpu->stack_top};
    }
    return list;
}

static bool is_online(uint32_t id)
{
    return atomic_load_explicit(&cpu_get(id)->state, memory_order_acquire) == CPU_ONLINE;
}

static void wait_for_start(const struct arch_cpu_start *list, uint32_t count)
{
    char what[ABSENT_BYTES];
    uint32_t missing;

    if (wait_for_value(&nr_starting, 0, SMP_START_MS))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (!is_online(list[i].cpu))
            arch_cpu_start_again(&list[i]);
    if (wait_for_value(&nr_starting, 0, SMP_START_MS))
        return;
    missing = atomic_load_explicit(&nr_starting, memory_order_relaxed);
    format_text(what, sizeof(what), "%u of %u CPUs did not start within %u ms", missing, count,
                2 * SMP_START_MS);
    say_absent(missing, what);
}

static void settle_states(uint32_t count)
{
    for (uint32_t id = 0; id < nr_cpus; id++) {
        if (id > count) /* never asked: no stack for it */
            atomic_store_explicit(&cpu_get(id)->state, CPU_UNUSED, memory_order_relaxed);
        else if (!leave_starting(id, CPU_FAILED) && is_online(id))
            cpumask_set(&cpus_online, id);
    }
}

void smp_start_all(void)
{
    uint32_t count;
    struct arch_cpu_start *list = start_list(&count);
    int error = 0;

    atomic_store_explicit(&cpu_get(0)->state, CPU_ONLINE, memory_order_relaxed);
    if (cpumask_alloc(&cpus_online) != 0 || !list)
        panic("no memory for the sets of CPUs");
    atomic_store_explicit(&nr_starting, count, memory_order_relaxed);
    if (count)
        error = arch_cpus_start(list, count);
    if (error)
        report_fail("no other CPU can be started: %s", errno_name(error));
    else if (count)
        wait_for_start(list, count);
    arch_cpus_started();
    settle_states(count);
    kfree(list);
}
