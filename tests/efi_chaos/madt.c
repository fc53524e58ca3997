/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A MADT with entries that are odd, in place of firmware's (ACPI 6.5, 5.2.12): a new table, to
 * which XSDT and RSDT then point. CPUs are entries of type 0 (APIC), 9 (x2APIC) and 11 (GICC).
 */
#include "tests/efi_chaos/chaos.h"

#define TABLE_BYTES_MAX (256u << 10)
#define ENTRIES_MAX 4096u
#define HEADER_BYTES 36u
#define MADT_ENTRIES_AT 44u
#define TYPE_APIC 0u
#define TYPE_X2APIC 9u
#define TYPE_GICC 11u
#define TYPE_UNKNOWN 0x7fu
#define APIC_BYTES 8u
#define X2APIC_BYTES 16u
#define LONGER_BYTES 24u
#define GICC_UID 8u
#define GICC_FLAGS 12u
#define GICC_MPIDR 68u
#define ABSENT_ID 200u /* above those of the tests' machines */
#define ABSENT_CPUS 2u
#define PADDING_ENTRIES 12u

static unsigned char *table; /* the new one */
static UINTN used;
static UINTN entries[ENTRIES_MAX]; /* offsets in the old one */
static UINTN nr_entries;

static UINT32 u32(const void *at)
{
    UINT32 value;

    CopyMem(&value, at, sizeof(value));
    return value;
}

static void put32(void *at, UINT32 value)
{
    CopyMem(at, &value, sizeof(value));
}

static void set_checksum(unsigned char *of)
{
    unsigned char sum = 0;
    UINT32 bytes = u32(of + 4);

    of[9] = 0;
    for (UINT32 i = 0; i < bytes; i++)
        sum += of[i];
    of[9] = (unsigned char)-sum;
}

static unsigned char *append(const void *entry, UINTN bytes)
{
    unsigned char *to = table + used;

    CopyMem(to, entry, bytes);
    to[1] = (unsigned char)bytes;
    used += bytes;
    return to;
}

static bool is_cpu(const unsigned char *entry)
{
    return entry[0] == TYPE_APIC || entry[0] == TYPE_X2APIC || entry[0] == TYPE_GICC;
}

/* A CPU entry like `entry` of another processor, which does not exist. */
static void append_absent(const unsigned char *entry, UINT32 id, bool enabled)
{
    unsigned char *to = append(entry, entry[1]);

    if (entry[0] == TYPE_GICC) {
        put32(to + GICC_UID, id);
        put32(to + GICC_MPIDR, id << 8);
        put32(to + GICC_FLAGS, enabled);
    } else if (entry[0] == TYPE_APIC) {
        to[2] = to[3] = (unsigned char)id;
        put32(to + 4, enabled);
    } else {
        put32(to + 4, id);
        put32(to + 8, enabled);
        put32(to + 12, id);
    }
}

static void append_again(const unsigned char *entry)
{
    unsigned char x2apic[X2APIC_BYTES] = {TYPE_X2APIC};

    if (entry[0] != TYPE_APIC) {
        append(entry, entry[1]);
        return;
    }
    put32(x2apic + 4, entry[3]);
    put32(x2apic + 8, u32(entry + 4));
    put32(x2apic + 12, entry[2]);
    append(x2apic, sizeof(x2apic));
}

static void append_padding(const unsigned char *cpu)
{
    unsigned char longer[LONGER_BYTES] = {TYPE_APIC, LONGER_BYTES, 0xff, 0xff};
    unsigned char unknown[LONGER_BYTES] = {TYPE_UNKNOWN};

    for (UINT32 i = 0; i < PADDING_ENTRIES; i++) {
        append_absent(cpu, ABSENT_ID + ABSENT_CPUS + i, false);
        append(unknown, LONGER_BYTES - i);
        if (cpu[0] == TYPE_APIC) {
            append(longer, sizeof(longer));
            append_absent(cpu, 0xff, false);
        }
    }
}

static void append_cpu(const unsigned char *entry)
{
    append(entry, entry[1]);
    if (chaos_wants("twice"))
        append_again(entry);
}

static void make_table(const unsigned char *old)
{
    const unsigned char *cpu = NULL;

    used = MADT_ENTRIES_AT;
    CopyMem(table, (void *)old, used);
    for (UINTN i = 0; i < nr_entries; i++) {
        const unsigned char *entry = old + entries[chaos_wants("shuffle") ? nr_entries - 1 - i : i];

        if (!is_cpu(entry)) {
            append(entry, entry[1]);
            continue;
        }
        if (!cpu && chaos_wants("pad"))
            append_padding(entry);
        cpu = entry;
        append_cpu(entry);
    }
    for (UINT32 i = 0; cpu && chaos_wants("absent") && i < ABSENT_CPUS; i++)
        append_absent(cpu, ABSENT_ID + i, true);
    put32(table + 4, (UINT32)used);
    set_checksum(table);
}

static EFI_STATUS read_entries(const unsigned char *old)
{
    UINTN bytes = u32(old + 4);

    for (UINTN at = MADT_ENTRIES_AT; at + 2 <= bytes; at += old[at + 1]) {
        if (old[at + 1] < 2 || nr_entries == ENTRIES_MAX)
            return chaos_fail(EFI_UNSUPPORTED, L"firmware's MADT is odd already");
        entries[nr_entries++] = at;
    }
    return EFI_SUCCESS;
}

/* Points a root table's entry of that signature to the new table. Returns the old one. */
static const unsigned char *replace(unsigned char *root, UINTN entry_bytes)
{
    const unsigned char *found = NULL;

    for (UINTN at = HEADER_BYTES; root && at + entry_bytes <= u32(root + 4); at += entry_bytes) {
        UINT64 phys = 0, new = (UINTN)table;

        CopyMem(&phys, root + at, entry_bytes);
        if (CompareMem((void *)(UINTN)phys, "APIC", 4))
            continue;
        found = (const unsigned char *)(UINTN)phys;
        CopyMem(root + at, &new, entry_bytes);
        set_checksum(root);
    }
    return found;
}

static unsigned char *root_pointer(void)
{
    static EFI_GUID guid = ACPI_20_TABLE_GUID;
    void *found;

    return EFI_ERROR(LibGetSystemConfigurationTable(&guid, &found)) ? NULL : found;
}

EFI_STATUS chaos_edit_madt(void)
{
    EFI_PHYSICAL_ADDRESS place = 0xffffffff;
    unsigned char *rsdp = root_pointer();
    const unsigned char *old;
    UINT64 xsdt;
    EFI_STATUS status;

    if (!chaos_wants("shuffle") && !chaos_wants("pad") && !chaos_wants("absent") &&
        !chaos_wants("twice"))
        return EFI_SUCCESS;
    if (!rsdp)
        return chaos_fail(EFI_NOT_FOUND, L"there is no ACPI");
    status = BS->AllocatePages(AllocateMaxAddress, EfiACPIReclaimMemory,
                               EFI_SIZE_TO_PAGES(TABLE_BYTES_MAX), &place);
    if (EFI_ERROR(status))
        return chaos_fail(status, L"no memory for a table");
    table = (unsigned char *)(UINTN)place;
    CopyMem(&xsdt, rsdp + 24, sizeof(xsdt));
    old = replace((unsigned char *)(UINTN)xsdt, 8);
    (void)replace((unsigned char *)(UINTN)u32(rsdp + 16), 4);
    if (!old)
        return chaos_fail(EFI_NOT_FOUND, L"there is no MADT");
    status = read_entries(old);
    if (!EFI_ERROR(status))
        make_table(old);
    return status;
}
