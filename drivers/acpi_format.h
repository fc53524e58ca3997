/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ACPI tables as bytes: pure functions over (table, bytes), for the drivers, the tests and fuzzers.
 *
 * I1. Nothing is read at or beyond table + bytes, whatever the bytes say.
 * I2. Every loop ends: an entry shorter than its own head ends the walk.
 * I3. A table that is odd costs a message that names it and the offset, never more.
 *
 * Layouts: ACPI 6.5, chapter 5.2. All integers are little endian, at any alignment.
 */
#ifndef DRIVERS_ACPI_FORMAT_H
#define DRIVERS_ACPI_FORMAT_H

#include "core/compiler.h"
#include "core/string.h"

#define ACPI_HEADER_BYTES 36u
#define ACPI_RSDP_BYTES 20u              /* revision 0 */
#define ACPI_RSDP_BYTES_2 36u            /* revision 2 */
#define ACPI_TABLE_BYTES_MAX (16u << 20) /* larger is taken for garbage */

/* What was wrong with one table. The first few are logged unless quiet. */
struct acpi_issues {
    char table[5];
    bool quiet;
    unsigned count;
    size_t first_offset;
    const char *first;
};

void acpi_issue(struct acpi_issues *issues, size_t offset, const char *what);

static inline uint8_t acpi_u8(const void *table, size_t offset)
{
    return ((const uint8_t *)table)[offset];
}

static inline uint16_t acpi_u16(const void *table, size_t offset)
{
    uint16_t value;

    memcpy(&value, (const uint8_t *)table + offset, sizeof(value));
    return value;
}

static inline uint32_t acpi_u32(const void *table, size_t offset)
{
    uint32_t value;

    memcpy(&value, (const uint8_t *)table + offset, sizeof(value));
    return value;
}

static inline uint64_t acpi_u64(const void *table, size_t offset)
{
    uint64_t value;

    memcpy(&value, (const uint8_t *)table + offset, sizeof(value));
    return value;
}

/* The sum of all bytes modulo 256: 0 in a good table. */
uint8_t acpi_sum(const void *table, size_t bytes);

struct acpi_rsdp {
    unsigned revision;
    uint64_t rsdt_phys, xsdt_phys; /* 0: none */
};

/* The root pointer: signature and both checksums. A bad second checksum leaves the RSDT. 0, or
 * -CS_EINVAL. */
int acpi_rsdp_parse(const void *table, size_t bytes, struct acpi_rsdp *out,
                    struct acpi_issues *issues) must_check;

/* Whether a whole table has the length that its header says, and sums up to 0. */
bool acpi_table_is_good(const void *table, size_t bytes, struct acpi_issues *issues);

/* The i-th address in an RSDT (entry_bytes 4) or XSDT (8); 0 past the end. */
uint64_t acpi_root_entry(const void *root, size_t bytes, size_t entry_bytes, uint32_t i);

/* Calls fn for every entry {type, length, …} from `first` on. */
typedef void acpi_entry_fn(void *arg, const uint8_t *entry, size_t entry_bytes, size_t offset);
void acpi_walk(const void *table, size_t bytes, size_t first, acpi_entry_fn *fn, void *arg,
               struct acpi_issues *issues);

/* Generic address structure (ACPI 6.5, 5.2.3.2). */
enum acpi_space {
    ACPI_SPACE_MEMORY = 0,
    ACPI_SPACE_IO = 1,
};

struct acpi_address {
    uint8_t space, bit_width, bit_offset, access_size;
    uint64_t address; /* 0: there is no such register */
};
#define ACPI_ADDRESS_BYTES 12u

struct acpi_address acpi_address_at(const void *table, size_t offset);

#endif
