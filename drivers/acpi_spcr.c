/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPCR as bytes (drivers/acpi_spcr.h).
 *
 * The generic address says how wide an access is: its access size, or the register's bit width
 * where that is not given. Registers of a 16550 lie as far apart; type 12h has the distance in the
 * bit width.
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

static enum serial_kind spcr_kind(unsigned interface)
{
    switch (interface) {
    case SPCR_16550:
    case SPCR_16550_SUBSET:
    case SPCR_16550_GENERIC_ADDRESS:
        return SERIAL_16550;
    case SPCR_PL011:
    case SPCR_SBSA_32BIT:
    case SPCR_SBSA:
        return SERIAL_PL011;
    default:
        return SERIAL_NONE;
    }
}

static unsigned width_shift(unsigned bit_width)
{
    return bit_width == 32 ? 2 : bit_width == 16 ? 1 : 0;
}

/* log2 of the bytes of an access: 0, 1 or 2. */
static unsigned spcr_access_shift(const struct acpi_address *at)
{
    if (at->access_size >= 1 && at->access_size <= 3)
        return at->access_size - 1u;
    return width_shift(at->bit_width);
}

void acpi_serial_port(unsigned interface, struct acpi_address at, struct serial_port *out)
{
    unsigned access = spcr_access_shift(&at), stride = access;

    *out = (struct serial_port){.kind = SERIAL_NONE};
    if (!at.address || (at.space != ACPI_SPACE_MEMORY && at.space != ACPI_SPACE_IO))
        return;
    if (interface == SPCR_16550_GENERIC_ADDRESS)
        stride = MAX(stride, width_shift(at.bit_width));
    out->is_io = at.space == ACPI_SPACE_IO;
    if (out->is_io && at.address > UINT16_MAX - UART_REGISTERS + 1)
        return;
    out->kind = spcr_kind(interface);
    out->address = at.address;
    out->register_shift = stride;
    out->access_bytes = 1u << access;
    if (out->address % out->access_bytes)
        out->kind = SERIAL_NONE;
}

int acpi_spcr_parse(const void *table, size_t bytes, struct serial_port *out,
                    struct acpi_issues *issues)
{
    *out = (struct serial_port){.kind = SERIAL_NONE};
    if (bytes < SPCR_BYTES) {
        acpi_issue(issues, bytes, "too short for its fixed part");
        return -CS_EINVAL;
    }
    acpi_serial_port(acpi_u8(table, SPCR_INTERFACE), acpi_address_at(table, SPCR_ADDRESS), out);
    return 0;
}
