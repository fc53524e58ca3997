/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch/time.h on x86-64: the TSC.
 *
 * LFENCE; RDTSC; LFENCE is right on every processor, without a branch and without RDTSCP, which
 * some models lack: the first fence waits until all earlier instructions have completed, so that
 * earlier loads are done (Intel SDM vol. 2, LFENCE and RDTSC); the second keeps later ones from
 * starting before the counter is read. AMD's LFENCE does the same once DE_CFG bit 1 is set, which
 * cpu_features_init() does on every CPU (AMD64 APM vol. 2, 3.2.2 and vol. 3, LFENCE).
 */
#ifndef PORT_TIME_H
#define PORT_TIME_H

static inline uint64_t arch_stamp(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t arch_stamp_loose(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* The performance counters are left to whoever owns them. */
static inline uint64_t arch_cycles(void)
{
    return 0;
}

#endif
