/* SPDX-License-Identifier: Apache-2.0 */
/* Access to registers by ACPI generic address (drivers/fixed_register.h). */
#include "drivers/fixed_register.h"

#include <arch/mmu.h>
#include <arch/pio.h>

static bool register_is_port(const struct acpi_address *at)
{
    return at->space == ACPI_SPACE_IO && at->address && at->address <= UINT16_MAX;
}

static volatile void *register_map(const struct acpi_address *at, unsigned bits)
{
    if (at->space != ACPI_SPACE_MEMORY || !at->address || at->address % (bits / 8))
        return NULL;
    return arch_map_device(at->address, bits / 8);
}

bool fixed_register_read(const struct acpi_address *at, unsigned bits, uint32_t *value)
{
    volatile void *memory;

    if (register_is_port(at)) {
        uint16_t port = (uint16_t)at->address;

        *value = bits == 8 ? pio_read8(port) : bits == 16 ? pio_read16(port) : pio_read32(port);
        return true;
    }
    memory = register_map(at, bits);
    if (!memory)
        return false;
    *value = bits == 8    ? *(volatile uint8_t *)memory
             : bits == 16 ? *(volatile uint16_t *)memory
                          : *(volatile uint32_t *)memory;
    return true;
}

bool fixed_register_write(const struct acpi_address *at, unsigned bits, uint32_t value)
{
    volatile void *memory = NULL;

    if (!register_is_port(at)) {
        memory = register_map(at, bits);
        if (!memory)
            return false;
    }
    switch (bits) {
    case 8:
        if (memory)
            *(volatile uint8_t *)memory = (uint8_t)value;
        else
            pio_write8((uint16_t)at->address, (uint8_t)value);
        break;
    case 16:
        if (memory)
            *(volatile uint16_t *)memory = (uint16_t)value;
        else
            pio_write16((uint16_t)at->address, (uint16_t)value);
        break;
    default:
        if (memory)
            *(volatile uint32_t *)memory = value;
        else
            pio_write32((uint16_t)at->address, value);
    }
    return true;
}
