/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simplest backend: CPUs take turns of TURN_ACCESSES accesses, or until they wait; every access
 * takes 1 ns of one common clock. It says nothing of any machine; it is fast, and the shortest
 * example of a backend.
 */
#include <stdlib.h>

#include "arch/process/process.h"
#include "arch/sim/backend.h"

#define TURN_ACCESSES 64u

static struct sim_cpu **ring; /* who may run, in order of arrival */
static uint32_t ring_used, ring_at;
static uint32_t left = TURN_ACCESSES;
static uint64_t now_ns;

static void turns_init(void)
{
    ring = calloc(sim_options.cpus, sizeof(struct sim_cpu *));
    if (!ring)
        process_usage("no memory for %u CPUs", sim_options.cpus);
    ring[ring_used++] = &sim_cpus[0];
}

static void next_turn(void)
{
    if (!ring_used)
        sim_fatal("all CPUs are halted");
    left = TURN_ACCESSES;
    ring_at = ring_at + 1 < ring_used ? ring_at + 1 : 0;
    sim_switch_to(ring[ring_at]);
}

static inline void step(void)
{
    now_ns++;
    if (--left == 0)
        next_turn();
}

static void turns_plain(uintptr_t address, uint32_t bytes, bool write, bool is_volatile)
{
    (void)address;
    (void)bytes;
    (void)write;
    (void)is_volatile;
    step();
}

static uint64_t turns_load(uintptr_t address, uint32_t bytes, int order)
{
    (void)order;
    step();
    return sim_do_load(address, bytes);
}

static void turns_store(uintptr_t address, uint32_t bytes, uint64_t value, int order)
{
    (void)order;
    step();
    sim_do_store(address, bytes, value);
}

static uint64_t turns_rmw(uintptr_t address, uint32_t bytes, enum sim_rmw op, uint64_t operand,
                          int order)
{
    (void)order;
    step();
    return sim_do_rmw(address, bytes, op, operand);
}

static bool turns_cas(uintptr_t address, uint32_t bytes, uint64_t *expected, uint64_t desired,
                      int order, int fail_order, bool weak)
{
    (void)order;
    (void)fail_order;
    (void)weak;
    step();
    return sim_do_cas(address, bytes, expected, desired);
}

static void turns_fence(int order)
{
    (void)order;
    step();
}

static uint64_t turns_percpu_load(uintptr_t address, uint32_t bytes)
{
    step();
    return sim_do_load(address, bytes);
}

static void turns_percpu_store(uintptr_t address, uint32_t bytes, uint64_t value)
{
    step();
    sim_do_store(address, bytes, value);
}

static void turns_percpu_add(uintptr_t address, uint32_t bytes, uint64_t amount)
{
    step();
    (void)sim_do_rmw(address, bytes, SIM_ADD, amount);
}

static bool turns_percpu_cas(uintptr_t address, uint32_t bytes, uint64_t *expected,
                             uint64_t desired)
{
    step();
    return sim_do_cas(address, bytes, expected, desired);
}

static void turns_relax(void)
{
    now_ns++;
    next_turn();
}

/* Time passes for whoever looks at it, or a loop until a time would never end. */
static uint64_t turns_stamp(void)
{
    step();
    return now_ns;
}

static void turns_cpu_start(struct sim_cpu *cpu)
{
    ring[ring_used++] = cpu;
}

/* Out of the ring; kick() puts it back. The last one of the ring takes its place. */
static void turns_park(void)
{
    struct sim_cpu *me = sim_this;

    if (me->kicked)
        return;
    for (ring_at = 0; ring[ring_at] != me; ring_at++)
        ;
    ring[ring_at] = ring[--ring_used];
    next_turn();
}

static void turns_kick(struct sim_cpu *cpu)
{
    for (uint32_t i = 0; i < ring_used; i++)
        if (ring[i] == cpu)
            return;
    ring[ring_used++] = cpu;
}

static void turns_alone(void)
{
    ring[0] = sim_this;
    ring_used = 1;
    ring_at = 0;
}

static const struct sim_backend turns = {
    .name = "turns",
    .summary = "round robin, every access takes 1 ns",
    .init = turns_init,
    .plain = turns_plain,
    .load = turns_load,
    .store = turns_store,
    .rmw = turns_rmw,
    .cas = turns_cas,
    .fence = turns_fence,
    .percpu_load = turns_percpu_load,
    .percpu_store = turns_percpu_store,
    .percpu_add = turns_percpu_add,
    .percpu_cas = turns_percpu_cas,
    .relax = turns_relax,
    .stamp = turns_stamp,
    .stamp_loose = turns_stamp,
    .cpu_start = turns_cpu_start,
    .park = turns_park,
    .kick = turns_kick,
    .alone = turns_alone,
};
SIM_BACKEND(turns);
