/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a BIOS leaves the ACPI root pointer: on a 16-byte boundary in the first KiB of the extended
 * BIOS data area, or in 0xE0000 … 0xFFFFF (ACPI 6.5, 5.2.5.1).
 */
#include <arch/mmu.h>

#include "drivers/acpi.h"

#define BIOS_EBDA_SEGMENT 0x40Eu /* BIOS data area: real-mode segment of the extended area */
#define BIOS_EBDA_BYTES 1024u
#define BIOS_LOW_MIN 0x400u
#define BIOS_LOW_LIMIT 0xA0000u
#define BIOS_ROM_PHYS 0xE0000u
#define BIOS_ROM_BYTES 0x20000u
#define BIOS_STEP_BYTES 16u

static bool bios_acpi_is_pointer(uint64_t phys)
{
    struct acpi_issues issues = {.table = "RSDP", .quiet = true};
    uint8_t pointer[ACPI_RSDP_BYTES_2];
    struct acpi_rsdp rsdp;

    return acpi_copy(pointer, phys, sizeof(pointer)) &&
           acpi_rsdp_parse(pointer, sizeof(pointer), &rsdp, &issues) == 0;
}

static uint64_t bios_acpi_scan(uint64_t phys, size_t bytes)
{
    const volatile uint8_t *area = arch_map_device(phys, bytes);
    uint64_t signature;

    if (!area)
        return 0;
    memcpy(&signature, "RSD PTR ", sizeof(signature));
    for (size_t at = 0; at < bytes; at += BIOS_STEP_BYTES)
        if (*(const volatile uint64_t *)(area + at) == signature && bios_acpi_is_pointer(phys + at))
            return phys + at;
    return 0;
}

static uint64_t bios_acpi_find(void)
{
    uint16_t segment;
    uint64_t ebda, found = 0;

    if (acpi_copy(&segment, BIOS_EBDA_SEGMENT, sizeof(segment))) {
        ebda = (uint64_t)segment << 4;
        if (ebda >= BIOS_LOW_MIN && ebda <= BIOS_LOW_LIMIT - BIOS_EBDA_BYTES)
            found = bios_acpi_scan(ebda, BIOS_EBDA_BYTES);
    }
    return found ? found : bios_acpi_scan(BIOS_ROM_PHYS, BIOS_ROM_BYTES);
}

static const struct acpi_finder bios_acpi = {.find = bios_acpi_find};
ACPI_FINDER(bios_acpi);
