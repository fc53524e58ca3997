/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls to firmware: PSCI (Arm DEN 0022) over the SMC calling convention (Arm DEN 0028), and spin
 * tables (docs.kernel.org, arch/arm64/booting) where a device tree says so.
 */
#include <arch/mmu.h>
#include <arch/platform.h>

#include "arch/arm64/arm64.h"

#define PSCI_CPU_ON_64 0xc4000003u
#define RELEASES_MAX 64u /* spin tables are found on small boards */

static enum arch_conduit conduit;
static uint32_t cpu_on = PSCI_CPU_ON_64;

static struct {
    uint64_t hw_id, phys;
} releases[RELEASES_MAX];
static uint32_t nr_releases;

void arch_set_psci(enum arch_conduit how, uint32_t cpu_on_function)
{
    conduit = how;
    if (cpu_on_function)
        cpu_on = cpu_on_function;
}

int64_t arch_firmware_call(uint32_t function, uint64_t a, uint64_t b, uint64_t c)
{
    switch (conduit) {
    case ARCH_CONDUIT_HVC:
        return smccc_hvc(function, a, b, c);
    case ARCH_CONDUIT_SMC:
        return smccc_smc(function, a, b, c);
    default:
        return -1;
    }
}

int64_t arch_semihosting(uint64_t operation, const void *block)
{
    return semihosting_call(operation, block);
}

void arch_set_cpu_release(uint64_t hw_id, uint64_t phys)
{
    if (nr_releases < RELEASES_MAX) {
        releases[nr_releases].hw_id = hw_id;
        releases[nr_releases++].phys = phys;
    }
}

/* The CPU reads the word with its caches off, so it goes to memory before the event. */
static bool release_from_table(uint64_t phys, uint64_t entry_phys)
{
    volatile uint64_t *word = arch_map_memory(phys, sizeof(*word));

    if (!word)
        return false;
    *word = entry_phys;
    __asm__ volatile("dc cvac, %0\n\tdsb sy\n\tsev" : : "r"(word) : "memory");
    return true;
}

bool firmware_start_cpu(uint64_t hw_id, uint64_t entry_phys)
{
    for (uint32_t i = 0; i < nr_releases; i++)
        if (releases[i].hw_id == hw_id)
            return release_from_table(releases[i].phys, entry_phys);
    return arch_firmware_call(cpu_on, hw_id, entry_phys, 0) == 0;
}
