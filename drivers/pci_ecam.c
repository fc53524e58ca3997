/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration space in memory (PCI Express Base 5.0, 7.2.2), where MCFG says. A bus is mapped
 * when it is first looked at. */
#include <arch/mmu.h>

#include "core/errno.h"
#include "core/memory_map.h"
#include "drivers/acpi.h"
#include "drivers/acpi_mcfg.h"
#include "drivers/pci.h"

#define ECAM_BUS_BYTES (1u << 20)
#define ECAM_NONE 0xffffffffu

static struct acpi_mcfg ecam;
static volatile char *ecam_buses[256];

static int pci_ecam_init(void)
{
    struct acpi_issues issues = {.table = "MCFG"};
    size_t bytes;
    const void *table = acpi_table("MCFG", 0, &bytes);

    if (table)
        ecam = acpi_mcfg_parse(table, bytes, &issues);
    if (ecam.phys && memory_map_overlaps(ecam.phys + (uint64_t)ecam.first_bus * ECAM_BUS_BYTES,
                                         (ecam.last_bus - ecam.first_bus + 1ull) * ECAM_BUS_BYTES))
        ecam.phys = 0;
    return ecam.phys ? 0 : -CS_ENODEV;
}

static volatile uint32_t *pci_ecam_at(struct pci_function at, unsigned offset)
{
    if (at.bus < ecam.first_bus || at.bus > ecam.last_bus)
        return NULL;
    if (!ecam_buses[at.bus])
        ecam_buses[at.bus] =
            arch_map_device(ecam.phys + (uint64_t)at.bus * ECAM_BUS_BYTES, ECAM_BUS_BYTES);
    if (!ecam_buses[at.bus])
        return NULL;
    return (volatile uint32_t *)(ecam_buses[at.bus] + ((unsigned)at.device << 15) +
                                 ((unsigned)at.function << 12) + (offset & 0xfc));
}

static uint32_t pci_ecam_read(struct pci_function at, unsigned offset)
{
    volatile uint32_t *word = pci_ecam_at(at, offset);

    return word ? *word : ECAM_NONE;
}

static void pci_ecam_write(struct pci_function at, unsigned offset, uint32_t value)
{
    volatile uint32_t *word = pci_ecam_at(at, offset);

    if (word)
        *word = value;
}

static const struct pci_access pci_ecam = {
    .init = pci_ecam_init, .read = pci_ecam_read, .write = pci_ecam_write};
PCI_ACCESS(pci_ecam);
