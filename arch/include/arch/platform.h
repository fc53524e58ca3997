/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: what a port cannot find out by itself, since only firmware's tables say it. Drivers
 * call these on the boot CPU in INIT_FIRMWARE. A port has the functions that its machines need
 * (arm64: all; x86-64 and hosted: none).
 */
#ifndef ARCH_PLATFORM_H
#define ARCH_PLATFORM_H

#include <stdint.h>

/* How firmware is called (SMCCC, Arm DEN 0028). */
enum arch_conduit {
    ARCH_CONDUIT_NONE,
    ARCH_CONDUIT_HVC,
    ARCH_CONDUIT_SMC,
};

/* PSCI (Arm DEN 0022) is there. cpu_on: number of the function that starts a CPU, 0 for the
 * standard's. */
void arch_set_psci(enum arch_conduit conduit, uint32_t cpu_on);
/* -1 (not supported) without a conduit. */
int64_t arch_firmware_call(uint32_t function, uint64_t a, uint64_t b, uint64_t c);

/* A semihosting call (Arm, "Semihosting for AArch32 and AArch64"); -1 where nobody takes it. */
int64_t arch_semihosting(uint64_t operation, const void *block);

/* The rate of the time stamp where firmware's tables know better than the processor. */
void arch_set_stamp_hz(uint64_t hz);

/* The CPU waits for an address to jump to in the 64-bit word at `phys` (spin table). */
void arch_set_cpu_release(uint64_t hw_id, uint64_t phys);

/* The interrupt controller. redistributors: GICv3, areas of frames. */
#define ARCH_GIC_AREAS_MAX 64u
struct arch_gic {
    uint32_t version; /* 2, 3 (also for 4) */
    uint64_t distributor_phys, cpu_interface_phys;
    uint32_t nr_areas;
    struct {
        uint64_t phys, bytes;
    } areas[ARCH_GIC_AREAS_MAX];
};
void arch_set_interrupt_controller(const struct arch_gic *gic);

#endif
