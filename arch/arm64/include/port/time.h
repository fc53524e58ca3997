/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch/time.h on arm64: the virtual counter, CNTVCT_EL0 (Arm ARM DDI 0487, D12.1.2).
 *
 * A read of the counter may be done early or late like any other instruction. DSB LD: earlier loads
 * are done. ISB: the read is not begun before; the second ISB: what follows starts after it.
 */
#ifndef PORT_TIME_H
#define PORT_TIME_H

static inline uint64_t arch_stamp(void)
{
    uint64_t now;

    __asm__ volatile("dsb ishld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
    return now;
}

static inline uint64_t arch_stamp_loose(void)
{
    uint64_t now;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
}

/* Set before the other CPUs start: the PMU is there and its cycle counter moves. */
extern bool arm64_counts_cycles;

/* PMCCNTR_EL0 (Arm ARM, D13). An ISB before: what came earlier is counted, or nearly so. */
static inline uint64_t arch_cycles(void)
{
    uint64_t cycles = 0;

    if (arm64_counts_cycles)
        __asm__ volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(cycles) : : "memory");
    return cycles;
}

#endif
