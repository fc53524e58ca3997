/* SPDX-License-Identifier: Apache-2.0 */
/* MCFG as bytes (I1–I3 of drivers/acpi_format.h). */
#include "drivers/acpi_mcfg.h"

#define MCFG_ENTRIES 44u
#define MCFG_ENTRY_BYTES 16u
#define ECAM_BUS_BYTES (1ull << 20)
#define MCFG_PHYS_LIMIT (1ull << 52)

struct acpi_mcfg acpi_mcfg_parse(const void *table, size_t bytes, struct acpi_issues *issues)
{
    struct acpi_mcfg area = {.phys = 0};

    for (size_t at = MCFG_ENTRIES; at + MCFG_ENTRY_BYTES <= bytes && !area.phys;
         at += MCFG_ENTRY_BYTES) {
        uint64_t phys = acpi_u64(table, at);
        uint8_t first = acpi_u8(table, at + 10), last = acpi_u8(table, at + 11);

        if (acpi_u16(table, at + 8))
            continue; /* another segment */
        if (!phys || phys % ECAM_BUS_BYTES || first > last ||
            phys >= MCFG_PHYS_LIMIT - 256 * ECAM_BUS_BYTES) {
            acpi_issue(issues, at, "an area that cannot be");
            continue;
        }
        area = (struct acpi_mcfg){phys, first, last};
    }
    return area;
}
