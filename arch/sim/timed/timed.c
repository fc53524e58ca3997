/* SPDX-License-Identifier: Apache-2.0 */
/* The timed machine's backend: what each kind of access costs. See timed.h. */
#include "arch/process/process.h"
#include "arch/sim/timed/timed.h"

#include <stdlib.h>

#include "arch/sim/sim.h"

#define PS 1000.0

struct timed_cpu *timed_cpus, *timed_me;
struct timed_machine timed;

static uint64_t ps(double ns)
{
    return (uint64_t)(ns * PS + 0.5);
}

static struct timed_costs costs_of(const struct sim_description *d, double instructions,
                                   double factor)
{
    double beside = d->instruction * instructions;

    return (struct timed_costs){ps((d->l1 + beside) * factor), ps((d->atomic + beside) * factor),
                                ps((d->percpu + beside) * factor)};
}

void timed_set_costs(double instructions, double rest_ns)
{
    timed.alone = costs_of(&sim_machine, instructions, 1);
    timed.shared = costs_of(&sim_machine, instructions, sim_machine.smt_slowdown);
    timed.operation = ps(sim_machine.operation + sim_machine.rest * rest_ns);
}

static void machine_init(const struct sim_description *d)
{
    timed = (struct timed_machine){
        .sockets = (uint32_t)d->sockets,
        .clusters_per_socket = (uint32_t)d->clusters,
        .clusters = (uint32_t)(d->sockets * d->clusters),
        .cores = (uint32_t)d->cores,
        .cpus_per_socket = (uint32_t)(d->clusters * d->cores * d->threads),
        .smt = ps(d->smt),
        .cluster = ps(d->cluster),
        .socket = ps(d->socket),
        .far = ps(d->far),
        .far2 = ps(d->far2),
        .cluster_busy = ps(d->cluster_busy),
        .home_busy = ps(d->home_busy),
        .cold = ps(d->cold),
        .cold_far = ps(d->cold_far),
        .tlb = ps(d->tlb),
        .relax = ps(d->relax),
        .wake = ps(d->wake),
        .stamp = ps(d->stamp),
        .store_buffer = (uint32_t)d->store_buffer,
        .tlb_mask = (uint32_t)d->tlb_entries - 1,
        .pair_prefetch = d->pair_prefetch != 0,
        .tso = d->tso != 0,
        .alpha = d->alpha,
        .rho = d->rho,
        .jitter = d->jitter,
        .home_far = d->home_far,
    };
}

static void cpu_init(uint32_t i)
{
    struct timed_cpu *cpu = &timed_cpus[i];
    struct sim_place place;

    sim_locate(i, &place);
    cpu->id = i;
    cpu->tag = i + 1;
    cpu->cluster = place.cluster;
    cpu->core_in_cluster = place.core_in_cluster;
    cpu->socket = place.socket;
    cpu->sibling = place.sibling;
    cpu->costs = &timed.alone;
}

static void timed_init(void)
{
    timed_cpus = aligned_alloc(64, sim_options.cpus * ((sizeof(*timed_cpus) + 63) & ~63ul));
    if (!timed_cpus)
        process_usage("no memory for %u CPUs", sim_options.cpus);
    machine_init(&sim_machine);
    timed_set_costs(sim_machine.instructions, 0);
    costs_init();
    for (uint32_t i = 0; i < sim_options.cpus; i++) {
        timed_cpus[i] = (struct timed_cpu){0};
        cpu_init(i);
    }
    schedule_init();
    lines_init();
    coherence_init();
    timed_me = &timed_cpus[0];
    schedule_set_busy(timed_me, true);
}

/* An address whose page was not used lately. */
static inline void translate(uintptr_t address)
{
    uint32_t page = (uint32_t)(address >> 12), *slot = &timed_me->tlb[page & timed.tlb_mask];

    if (__builtin_expect(*slot != page, 0)) {
        *slot = page;
        timed_me->now += timed.tlb;
    }
}

/* The line is this CPU's alone, or becomes so as far as the access needs it. */
static inline void touch(uintptr_t address, uint32_t bytes, enum touch how, uint64_t cost)
{
    const uint32_t line_bytes = 1u << SIM_LINE_SHIFT;
    uint32_t number = line_number(address);

    timed_me->accesses++;
    timed_me->commit = 0;
    timed_me->bytes = (bytes < line_bytes ? (1ull << bytes) - 1 : ~0ull) << (address % line_bytes);
    translate(address);
    schedule_check();
    if (__builtin_expect(LINE_SLOTS[number].tag != timed_me->tag, 0))
        coherence_touch(number, how);
    else if (how == TOUCH_WATCH)
        parking_watch(number, 0);
    timed_me->now += cost;
}

static void timed_plain(uintptr_t address, uint32_t bytes, bool write, bool is_volatile)
{
    touch(address, bytes,
          write         ? TOUCH_STORE
          : is_volatile ? TOUCH_WATCH
                        : TOUCH_LOAD,
          timed_me->costs->l1);
    values_settle(address, bytes);
}

static uint64_t timed_load(uintptr_t address, uint32_t bytes, int order)
{
    (void)order;
    touch(address, bytes, TOUCH_WATCH, timed_me->costs->l1);
    return values_load(address, bytes);
}

static void timed_store(uintptr_t address, uint32_t bytes, uint64_t value, int order)
{
    touch(address, bytes,
          order == __ATOMIC_SEQ_CST   ? TOUCH_OWN
          : order == __ATOMIC_RELEASE ? TOUCH_RELEASE
                                      : TOUCH_STORE,
          order == __ATOMIC_SEQ_CST ? timed_me->costs->atomic : timed_me->costs->l1);
    values_store(address, bytes, value);
}

static uint64_t timed_rmw(uintptr_t address, uint32_t bytes, enum sim_rmw op, uint64_t operand,
                          int order)
{
    (void)order;
    stores_drain();
    touch(address, bytes, TOUCH_OWN, timed_me->costs->atomic);
    values_settle(address, bytes);
    return sim_do_rmw(address, bytes, op, operand);
}

static bool timed_cas(uintptr_t address, uint32_t bytes, uint64_t *expected, uint64_t desired,
                      int order, int fail_order, bool weak)
{
    (void)order;
    (void)fail_order;
    (void)weak;
    stores_drain();
    touch(address, bytes, TOUCH_OWN, timed_me->costs->atomic);
    values_settle(address, bytes);
    return sim_do_cas(address, bytes, expected, desired);
}

static void timed_fence(int order)
{
    if (order != __ATOMIC_SEQ_CST)
        return;
    stores_drain();
    timed_me->now += timed_me->costs->atomic;
}

static uint64_t timed_percpu_load(uintptr_t address, uint32_t bytes)
{
    touch(address, bytes, TOUCH_LOAD, timed_me->costs->l1);
    return values_load(address, bytes);
}

static void timed_percpu_store(uintptr_t address, uint32_t bytes, uint64_t value)
{
    touch(address, bytes, TOUCH_STORE, timed_me->costs->l1);
    values_store(address, bytes, value);
}

static void timed_percpu_add(uintptr_t address, uint32_t bytes, uint64_t amount)
{
    touch(address, bytes, TOUCH_STORE, timed_me->costs->percpu);
    values_settle(address, bytes);
    (void)sim_do_rmw(address, bytes, SIM_ADD, amount);
}

static bool timed_percpu_cas(uintptr_t address, uint32_t bytes, uint64_t *expected,
                             uint64_t desired)
{
    touch(address, bytes, TOUCH_STORE, timed_me->costs->percpu);
    values_settle(address, bytes);
    return sim_do_cas(address, bytes, expected, desired);
}

static uint64_t timed_stamp(void)
{
    timed_me->now += timed.stamp;
    timed_me->saw_clock = true;
    schedule_check();
    return timed_me->now / 1000;
}

static void timed_operations(uint64_t n)
{
    timed_me->now += n * timed.operation;
}

static void timed_cpu_start(struct sim_cpu *cpu)
{
    struct timed_cpu *t = &timed_cpus[cpu->hw_id];

    t->now = timed_me->now + timed.wake;
    schedule_set_busy(t, true);
    schedule_add(t);
}

/* A kick that came before is found at once. */
static void timed_park(void)
{
    schedule_sync();
    if (sim_this->kicked)
        return;
    timed_me->halted = true;
    schedule_set_busy(timed_me, false);
    schedule_sleep(NEVER);
}

static void timed_kick(struct sim_cpu *cpu)
{
    struct timed_cpu *t = &timed_cpus[cpu->hw_id];

    stores_drain();
    timed_me->now += timed_me->costs->atomic;
    if (!t->halted)
        return;
    t->halted = false;
    schedule_set_busy(t, true);
    schedule_wake(t, timed_me->now + timed.wake);
}

static const struct sim_backend timed_backend = {
    .name = "timed",
    .summary = "a machine with caches, in simulated time (the default)",
    .init = timed_init,
    .plain = timed_plain,
    .load = timed_load,
    .store = timed_store,
    .rmw = timed_rmw,
    .cas = timed_cas,
    .fence = timed_fence,
    .percpu_load = timed_percpu_load,
    .percpu_store = timed_percpu_store,
    .percpu_add = timed_percpu_add,
    .percpu_cas = timed_percpu_cas,
    .relax = parking_relax,
    .stamp = timed_stamp,
    .stamp_loose = timed_stamp,
    .operations = timed_operations,
    .measures = costs_measure,
    .cpu_start = timed_cpu_start,
    .park = timed_park,
    .kick = timed_kick,
    .alone = schedule_only_me,
};
SIM_BACKEND(timed_backend);
