/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the ACPI tables, checks them, and copies out those that somebody asks for.
 *
 *   RSDP ──> XSDT, else RSDT ──> directory {signature, address, length} ──> acpi_table(): a copy
 *
 * Tables lie in memory that the direct map need not hold, so they are read through windows, and
 * parsed in the copy only: what was checked is what is used. The address may be nonsense and a
 * device be there, so reads are aligned and each byte is read once.
 *
 * I1. Everything here runs before pages_init() on the boot CPU; the copies come from bootmem.
 * I2. Addresses, lengths and checksums are checked before a table is handed out.
 */
#include "drivers/acpi.h"

#include <arch/mmu.h>

#include "core/errno.h"
#include "core/init.h"
#include "core/log.h"
#include "core/memory_map.h"

#include "boot/handoff.h"

#define ACPI_PHYS_LIMIT (1ull << 52)
#define ACPI_TABLES_MAX 1024u /* a machine has 10 to 100 */

struct acpi_listed {
    char signature[4];
    uint32_t bytes;
    uint64_t phys;
    const void *copy; /* NULL: not asked for yet */
    bool bad;
};

static struct acpi_listed *acpi_directory;
static uint32_t acpi_nr_tables;
static bool acpi_was_searched;

bool acpi_copy(void *to, uint64_t phys, size_t bytes)
{
    const volatile uint8_t *from;
    uint8_t *out = to;
    size_t i = 0;

    if (!phys || !bytes || phys >= ACPI_PHYS_LIMIT || bytes > ACPI_PHYS_LIMIT - phys)
        return false;
    from = arch_map_memory(phys, bytes);
    if (!from)
        return false;
    while (i < bytes) {
        if (((uintptr_t)(from + i) & 7) == 0 && bytes - i >= 8) {
            uint64_t word = *(const volatile uint64_t *)(from + i);

            memcpy(out + i, &word, 8);
            i += 8;
        } else {
            out[i] = from[i];
            i++;
        }
    }
    return true;
}

static void *acpi_boot_memory(size_t bytes)
{
    uint64_t phys = bootmem_alloc(bytes, ARCH_PAGE_BYTES, 0);

    return phys ? phys_to_virt(phys) : NULL;
}

static void acpi_issues_for(struct acpi_issues *issues, const char *signature)
{
    *issues = (struct acpi_issues){.quiet = false};
    memcpy(issues->table, signature, 4);
    for (unsigned i = 0; i < 4; i++)
        if (issues->table[i] < ' ' || issues->table[i] > '~')
            issues->table[i] = '?';
}

static const void *acpi_fetch(uint64_t phys, const char *signature, uint32_t bytes)
{
    struct acpi_issues issues;
    void *copy;

    acpi_issues_for(&issues, signature);
    if (bytes < ACPI_HEADER_BYTES || bytes > ACPI_TABLE_BYTES_MAX) {
        acpi_issue(&issues, 4, "its length is impossible");
        return NULL;
    }
    copy = acpi_boot_memory(bytes);
    if (!copy || !acpi_copy(copy, phys, bytes)) {
        acpi_issue(&issues, 0, "cannot be mapped, or no memory for a copy");
        return NULL;
    }
    return acpi_table_is_good(copy, bytes, &issues) ? copy : NULL;
}

const void *acpi_table_at(uint64_t phys, const char *signature, size_t *bytes)
{
    uint8_t header[ACPI_HEADER_BYTES];

    if (!acpi_copy(header, phys, sizeof(header)) || memcmp(header, signature, 4))
        return NULL;
    *bytes = acpi_u32(header, 4);
    return acpi_fetch(phys, signature, acpi_u32(header, 4));
}

static bool acpi_list_root(uint64_t phys, const char *signature, size_t entry_bytes)
{
    size_t bytes;
    const void *root = acpi_table_at(phys, signature, &bytes);
    uint32_t entries;

    if (!root)
        return false;
    entries = (uint32_t)MIN((bytes - ACPI_HEADER_BYTES) / entry_bytes, (size_t)ACPI_TABLES_MAX);
    acpi_directory = acpi_boot_memory(MAX(entries, 1u) * sizeof(*acpi_directory));
    if (!acpi_directory)
        return false;
    for (uint32_t i = 0; i < entries; i++) {
        struct acpi_listed *listed = &acpi_directory[acpi_nr_tables];
        uint8_t header[ACPI_HEADER_BYTES];

        listed->phys = acpi_root_entry(root, bytes, entry_bytes, i);
        if (!acpi_copy(header, listed->phys, sizeof(header))) {
            log_warn("acpi: table %s: entry %u points nowhere", signature, i);
            continue;
        }
        memcpy(listed->signature, header, 4);
        listed->bytes = acpi_u32(header, 4);
        acpi_nr_tables++;
    }
    return true;
}

static bool acpi_read_root_pointer(uint64_t phys, struct acpi_rsdp *rsdp)
{
    struct acpi_issues issues;
    uint8_t pointer[ACPI_RSDP_BYTES_2];

    acpi_issues_for(&issues, "RSDP");
    return acpi_copy(pointer, phys, sizeof(pointer)) &&
           acpi_rsdp_parse(pointer, sizeof(pointer), rsdp, &issues) == 0;
}

static bool acpi_find_root_pointer(struct acpi_rsdp *rsdp)
{
    if (acpi_read_root_pointer(kernel_handoff->acpi_rsdp_phys, rsdp))
        return true;
    for (REGISTRY_EACH(acpi_finders, const struct acpi_finder, p))
        if (acpi_read_root_pointer((*p)->find(), rsdp))
            return true;
    return false;
}

static void acpi_search(void)
{
    struct acpi_rsdp rsdp;

    acpi_was_searched = true;
    if (kernel_handoff->firmware == BOOT_FIRMWARE_HOST)
        return;
    if (!acpi_find_root_pointer(&rsdp)) {
        log_line("acpi: no tables");
        return;
    }
    if (!(rsdp.xsdt_phys && acpi_list_root(rsdp.xsdt_phys, "XSDT", 8)) &&
        !acpi_list_root(rsdp.rsdt_phys, "RSDT", 4))
        log_warn("acpi: neither the XSDT nor the RSDT can be used");
    log_line("acpi: revision %u, %u tables", rsdp.revision, acpi_nr_tables);
}

const void *acpi_table(const char *signature, uint32_t i, size_t *bytes)
{
    if (!acpi_was_searched)
        acpi_search();
    for (uint32_t n = 0; n < acpi_nr_tables; n++) {
        struct acpi_listed *listed = &acpi_directory[n];

        if (memcmp(listed->signature, signature, 4) || i--)
            continue;
        if (!listed->copy && !listed->bad)
            listed->copy = acpi_fetch(listed->phys, signature, listed->bytes);
        listed->bad = !listed->copy;
        *bytes = listed->bytes;
        return listed->copy;
    }
    return NULL;
}
