/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPCR as bytes (drivers/acpi_spcr.h).
 *
 * The generic address says how far apart the registers of a 16550 are: as far as an access is wide,
 * and that is the access size, or the register's bit width where the access size is not given.
 */
#include "drivers/acpi_spcr.h"

#include "core/errno.h"

#define SPCR_INTERFACE 36u
#define SPCR_ADDRESS 40u
#define SPCR_BYTES 80u /* revision 1 */

enum spcr_interface {
    SPCR_16550 = 0x00,
    SPCR_16550_SUBSET = 0x01,
    SPCR_PL011 = 0x03,
    SPCR_SBSA_32BIT = 0x0d,
    SPCR_SBSA = 0x0e,
    SPCR_16550_GENERIC_ADDRESS = 0x12,
};

static enum boot_console_kind spcr_kind(unsigned interface)
{
    switch (interface) {
    case SPCR_16550:
    case SPCR_16550_SUBSET:
    case SPCR_16550_GENERIC_ADDRESS:
        return BOOT_CONSOLE_16550;
    case SPCR_PL011:
    case SPCR_SBSA_32BIT:
    case SPCR_SBSA:
        return BOOT_CONSOLE_PL011;
    default:
        return BOOT_CONSOLE_NONE;
    }
}

/* log2 of the bytes of an access: 0, 1 or 2. */
static unsigned spcr_access_shift(const struct acpi_address *at)
{
    if (at->access_size >= 1 && at->access_size <= 3)
        return at->access_size - 1u;
    return at->bit_width == 32 ? 2 : at->bit_width == 16 ? 1 : 0;
}

int acpi_spcr_parse(const void *table, size_t bytes, struct boot_console *out,
                    struct acpi_issues *issues)
{
    struct acpi_address at;

    *out = (struct boot_console){.kind = BOOT_CONSOLE_NONE};
    if (bytes < SPCR_BYTES) {
        acpi_issue(issues, bytes, "too short for its fixed part");
        return -CS_EINVAL;
    }
    at = acpi_address_at(table, SPCR_ADDRESS);
    if (at.space != ACPI_SPACE_MEMORY || !at.address)
        return 0;
    out->kind = spcr_kind(acpi_u8(table, SPCR_INTERFACE));
    out->phys = at.address;
    out->register_shift = spcr_access_shift(&at);
    out->register_bytes = 1u << out->register_shift;
    return 0;
}
