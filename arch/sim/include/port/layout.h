/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated machine's address space: one range at fixed addresses, so that nothing depends on
 * where the host puts things. What lies in it is modelled, line by line; all else of the process
 * (the simulator's own data, constants, code) costs nothing.
 *
 *   SIM_DATA    the tested code's static variables (arch/sim/port.mk); the host puts the heap of the
 *               process somewhere behind them, of which the tested code sees nothing
 *   SIM_ARENA   "physical memory"; physical and virtual addresses are the same number
 *   SIM_VMEMMAP array of struct page
 *   SIM_STACKS  a stack for each CPU, SIM_STACK_STRIDE apart, each with a guard page below
 *   SIM_PERCPU  per-CPU units
 */
#ifndef PORT_LAYOUT_H
#define PORT_LAYOUT_H

#include <stdint.h>

#define SIM_MAX_CPUS 4096u

#define SIM_DATA 0x10000000ull
#define SIM_ARENA 0x90000000ull
#define SIM_ARENA_MAX_BYTES (64ull << 30)
#define SIM_VMEMMAP 0x2000000000ull
#define SIM_STACKS 0x2100000000ull
#define SIM_STACK_STRIDE (128ull << 10)
#define SIM_PERCPU 0x2200000000ull
#define SIM_END 0x3400000000ull

#define SIM_BASE SIM_DATA
#define SIM_SPAN (SIM_END - SIM_BASE)

/* 64 on each machine that is described so far. */
#define SIM_LINE_SHIFT 6u

static inline int sim_is_modelled(uintptr_t address)
{
    return address - SIM_BASE < SIM_SPAN;
}

#endif
