/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration space through the ports 0xCF8 and 0xCFC (PCI Local Bus 3.0, 3.2.2.3.2): the first
 * 256 bytes of each function, which is all that is needed here. */
#include <arch/pio.h>

#include "core/errno.h"
#include "drivers/pci.h"

#define CONFIG_ADDRESS 0xCF8u
#define CONFIG_DATA 0xCFCu
#define ADDRESS_ENABLE (1u << 31)

static void pci_ports_select(struct pci_function at, unsigned offset)
{
    pio_write32(CONFIG_ADDRESS, ADDRESS_ENABLE | (uint32_t)at.bus << 16 |
                                    (uint32_t)at.device << 11 | (uint32_t)at.function << 8 |
                                    (offset & 0xfc));
}

/* The address register keeps what is written. */
static int pci_ports_init(void)
{
    pio_write32(CONFIG_ADDRESS, ADDRESS_ENABLE);
    return pio_read32(CONFIG_ADDRESS) == ADDRESS_ENABLE ? 0 : -CS_ENODEV;
}

static uint32_t pci_ports_read(struct pci_function at, unsigned offset)
{
    pci_ports_select(at, offset);
    return pio_read32(CONFIG_DATA);
}

static void pci_ports_write(struct pci_function at, unsigned offset, uint32_t value)
{
    pci_ports_select(at, offset);
    pio_write32(CONFIG_DATA, value);
}

static const struct pci_access pci_ports = {
    .init = pci_ports_init, .read = pci_ports_read, .write = pci_ports_write};
PCI_ACCESS(pci_ports);
