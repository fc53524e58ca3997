/* SPDX-License-Identifier: Apache-2.0 */
/* ACPI tables as bytes: checksums, the root pointer, walking entries (drivers/acpi_format.h). */
#include "drivers/acpi_format.h"

#include "core/errno.h"
#include "core/log.h"

#define ACPI_ISSUES_LOGGED 4u

void acpi_issue(struct acpi_issues *issues, size_t offset, const char *what)
{
    if (!issues->count++) {
        issues->first_offset = offset;
        issues->first = what;
    }
    if (!issues->quiet && issues->count <= ACPI_ISSUES_LOGGED)
        log_warn("acpi: table %s at offset %zu: %s", issues->table, offset, what);
}

uint8_t acpi_sum(const void *table, size_t bytes)
{
    const uint8_t *p = table;
    uint8_t sum = 0;

    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + p[i]);
    return sum;
}

/* The second half of a root pointer of revision 2 and later (ACPI 6.5, 5.2.5.3). */
static uint64_t acpi_rsdp_xsdt(const void *table, size_t bytes, struct acpi_issues *issues)
{
    uint32_t length;

    if (bytes < ACPI_RSDP_BYTES_2) {
        acpi_issue(issues, bytes, "cut off");
        return 0;
    }
    length = acpi_u32(table, 20);
    if (length < ACPI_RSDP_BYTES_2 || length > bytes) {
        acpi_issue(issues, 20, "its length is impossible");
        return 0;
    }
    if (acpi_sum(table, length)) {
        acpi_issue(issues, 32, "wrong extended checksum");
        return 0;
    }
    return acpi_u64(table, 24);
}

int acpi_rsdp_parse(const void *table, size_t bytes, struct acpi_rsdp *out,
                    struct acpi_issues *issues)
{
    if (bytes < ACPI_RSDP_BYTES || memcmp(table, "RSD PTR ", 8))
        return -CS_EINVAL;
    if (acpi_sum(table, ACPI_RSDP_BYTES)) {
        acpi_issue(issues, 8, "wrong checksum");
        return -CS_EINVAL;
    }
    out->revision = acpi_u8(table, 15);
    out->rsdt_phys = acpi_u32(table, 16);
    out->xsdt_phys = out->revision >= 2 ? acpi_rsdp_xsdt(table, bytes, issues) : 0;
    return 0;
}

bool acpi_table_is_good(const void *table, size_t bytes, struct acpi_issues *issues)
{
    if (bytes < ACPI_HEADER_BYTES || acpi_u32(table, 4) != bytes) {
        acpi_issue(issues, 4, "its length is impossible");
        return false;
    }
    if (acpi_sum(table, bytes)) {
        acpi_issue(issues, 9, "wrong checksum");
        return false;
    }
    return true;
}

uint64_t acpi_root_entry(const void *root, size_t bytes, size_t entry_bytes, uint32_t i)
{
    size_t offset = ACPI_HEADER_BYTES + i * entry_bytes;

    if (offset + entry_bytes > bytes)
        return 0;
    return entry_bytes == 8 ? acpi_u64(root, offset) : acpi_u32(root, offset);
}

void acpi_walk(const void *table, size_t bytes, size_t first, acpi_entry_fn *fn, void *arg,
               struct acpi_issues *issues)
{
    size_t offset = first;

    if (bytes < first) {
        acpi_issue(issues, bytes, "too short for its fixed part");
        return;
    }
    while (offset < bytes) {
        const uint8_t *entry = (const uint8_t *)table + offset;

        if (bytes - offset < 2) {
            acpi_issue(issues, offset, "a stray byte behind the last entry");
            return;
        }
        if (entry[1] < 2) { /* I2 */
            acpi_issue(issues, offset, "an entry of length 0 or 1: the rest is not read");
            return;
        }
        if (entry[1] > bytes - offset) {
            acpi_issue(issues, offset, "an entry goes on past the end of the table");
            return;
        }
        fn(arg, entry, entry[1], offset);
        offset += entry[1];
    }
}

struct acpi_address acpi_address_at(const void *table, size_t offset)
{
    return (struct acpi_address){
        .space = acpi_u8(table, offset),
        .bit_width = acpi_u8(table, offset + 1),
        .bit_offset = acpi_u8(table, offset + 2),
        .access_size = acpi_u8(table, offset + 3),
        .address = acpi_u64(table, offset + 4),
    };
}
