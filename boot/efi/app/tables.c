/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What firmware's configuration tables (4.6) lead to: the ACPI root pointer and a device tree, both
 * copied into the block, since they may lie in memory that is the kernel's afterwards; and what
 * SMBIOS calls the machine (DMTF DSP0134, 5.2 entry points, 7.2 system information).
 */
#include "boot/efi/app/app.h"

#define RSDP_BYTES_0 20u
#define TREE_MAGIC 0xd00dfeedu
#define TREE_BYTES_MAX (16u << 20)
#define SMBIOS_BYTES_MAX (1u << 20)
#define SMBIOS_SYSTEM 1u
#define SMBIOS_END 127u
#define SMBIOS_HEADER_BYTES 4u

static EFI_GUID guid_acpi_2 = ACPI_20_TABLE_GUID;
static EFI_GUID guid_acpi_1 = ACPI_TABLE_GUID;
static EFI_GUID guid_smbios = SMBIOS_TABLE_GUID;
static EFI_GUID guid_smbios_3 = SMBIOS3_TABLE_GUID;
static EFI_GUID guid_tree = {
    0xb1b621d5, 0xf19c, 0x41a5, {0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0}};

static const void *table_of(const EFI_GUID *guid)
{
    for (UINTN i = 0; i < ST->NumberOfTableEntries; i++)
        if (!CompareMem(&ST->ConfigurationTable[i].VendorGuid, guid, sizeof(*guid)))
            return ST->ConfigurationTable[i].VendorTable;
    return NULL;
}

static UINT32 big_endian(const void *at)
{
    const unsigned char *c = at;

    return (UINT32)c[0] << 24 | (UINT32)c[1] << 16 | (UINT32)c[2] << 8 | c[3];
}

const void *tables_device_tree(UINTN *bytes)
{
    const unsigned char *tree = table_of(&guid_tree);

    *bytes = 0;
    if (!tree || big_endian(tree) != TREE_MAGIC || big_endian(tree + 4) > TREE_BYTES_MAX)
        return NULL;
    *bytes = big_endian(tree + 4);
    return tree;
}

/* The whole of a version 2 pointer is copied: what a length of its own says is checked later. */
static void take_root_pointer(struct efi_info *info)
{
    const void *two = table_of(&guid_acpi_2), *one = table_of(&guid_acpi_1);

    if (two)
        CopyMem(info->rsdp, two, sizeof(info->rsdp));
    else if (one)
        CopyMem(info->rsdp, one, RSDP_BYTES_0);
    if (two || one)
        info->handoff.acpi_rsdp_phys = (UINTN)info->rsdp;
}

struct structures {
    const unsigned char *at;
    UINTN bytes;
};

static struct structures smbios_structures(void)
{
    const unsigned char *entry = table_of(&guid_smbios_3);
    struct structures s = {NULL, 0};
    UINT64 address = 0;

    if (entry && !CompareMem(entry, "_SM3_", 5)) {
        CopyMem(&address, entry + 16, 8);
        s.bytes = *(const UINT32 *)(entry + 12);
    } else if ((entry = table_of(&guid_smbios)) && !CompareMem(entry, "_SM_", 4)) {
        CopyMem(&address, entry + 24, 4);
        s.bytes = entry[22] | (UINTN)entry[23] << 8;
    }
    s.at = (const unsigned char *)(UINTN)address;
    if (!s.at || s.bytes > SMBIOS_BYTES_MAX)
        s.bytes = 0;
    return s;
}

/* The end of a structure's strings: behind two zero bytes. */
static UINTN strings_end(const struct structures *s, UINTN at)
{
    while (at + 1 < s->bytes && (s->at[at] || s->at[at + 1]))
        at++;
    return at + 2;
}

/* Appends the string of that number, and a blank before it. */
static void append(char *text, UINTN size, const struct structures *s, UINTN at, unsigned number)
{
    UINTN used = strlena((CHAR8 *)text);

    for (; number > 1 && at < s->bytes && s->at[at]; number--, at++)
        while (at < s->bytes && s->at[at])
            at++;
    if (!number || at >= s->bytes || !s->at[at])
        return;
    if (used && used + 1 < size)
        text[used++] = ' ';
    for (; at < s->bytes && s->at[at] && used + 1 < size; at++)
        text[used++] = s->at[at] >= ' ' && s->at[at] < 0x7f ? (char)s->at[at] : '?';
    text[used] = 0;
}

static void take_machine(struct efi_info *info)
{
    struct structures s = smbios_structures();
    UINTN at = 0;

    while (at + SMBIOS_HEADER_BYTES < s.bytes && s.at[at] != SMBIOS_END) {
        UINTN strings = at + s.at[at + 1];

        if (s.at[at + 1] < SMBIOS_HEADER_BYTES)
            return;
        if (s.at[at] == SMBIOS_SYSTEM && s.at[at + 1] >= 6 && strings < s.bytes) {
            append(info->machine, sizeof(info->machine), &s, strings, s.at[at + 4]);
            append(info->machine, sizeof(info->machine), &s, strings, s.at[at + 5]);
            return;
        }
        at = strings_end(&s, strings);
    }
}

void tables_find(struct efi_info *info)
{
    take_root_pointer(info);
    take_machine(info);
}
