/* SPDX-License-Identifier: Apache-2.0 */
/* DBG2 as bytes (drivers/acpi_spcr.h; I1–I3 of drivers/acpi_format.h): a list of devices, each with
 * offsets into itself. Of a device the first register's address is the UART's. */
#include "drivers/acpi_spcr.h"

#define DBG2_DEVICES 36u /* offset of the first; then their number */
#define DBG2_COUNT 40u
#define DBG2_BYTES 44u
#define DEVICE_LENGTH 1u
#define DEVICE_REGISTERS 3u
#define DEVICE_TYPE 12u
#define DEVICE_SUBTYPE 14u
#define DEVICE_ADDRESSES 18u
#define DEVICE_BYTES 22u
#define DBG2_TYPE_SERIAL 0x8000u

static void dbg2_device(const uint8_t *device, size_t bytes, size_t offset, acpi_serial_fn *fn,
                        void *arg, struct acpi_issues *issues)
{
    size_t at = acpi_u16(device, DEVICE_ADDRESSES);
    struct serial_port port;

    if (acpi_u16(device, DEVICE_TYPE) != DBG2_TYPE_SERIAL || !device[DEVICE_REGISTERS])
        return;
    if (at < DEVICE_BYTES || at + ACPI_ADDRESS_BYTES > bytes) {
        acpi_issue(issues, offset, "a device's address is not inside it");
        return;
    }
    acpi_serial_port(acpi_u16(device, DEVICE_SUBTYPE), acpi_address_at(device, at), &port);
    if (port.kind != SERIAL_NONE)
        fn(arg, &port);
}

void acpi_dbg2_parse(const void *table, size_t bytes, acpi_serial_fn *fn, void *arg,
                     struct acpi_issues *issues)
{
    size_t offset = bytes >= DBG2_BYTES ? acpi_u32(table, DBG2_DEVICES) : 0;
    uint32_t count = bytes >= DBG2_BYTES ? acpi_u32(table, DBG2_COUNT) : 0;

    if (offset < DBG2_BYTES) {
        acpi_issue(issues, DBG2_DEVICES, "too short, or its devices begin before its end");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *device = (const uint8_t *)table + offset;
        size_t length;

        if (offset >= bytes || bytes - offset < DEVICE_BYTES) {
            acpi_issue(issues, offset, "a device goes on past the end of the table");
            return;
        }
        length = acpi_u16(device, DEVICE_LENGTH);
        if (length < DEVICE_BYTES || length > bytes - offset) {
            acpi_issue(issues, offset, "a device's length is impossible: the rest is not read");
            return;
        }
        dbg2_device(device, length, offset, fn, arg, issues);
        offset += length;
    }
}
