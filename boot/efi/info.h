/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the EFI application (boot/efi/app) leaves in memory for the kernel inside it. Both are built
 * from this file, into one image.
 *
 * The hand-off is filled in by the application, apart from its pointers to text (path, machine,
 * note), which boot/efi/handoff.c sets. All that it names lies in one block of memory, this struct
 * first:
 *
 *   struct efi_info | command line | corestorm.cfg | device tree | memory map
 *
 * The map is an array of struct boot_mem_range, ascending.
 */
#ifndef BOOT_EFI_INFO_H
#define BOOT_EFI_INFO_H

#include "boot/handoff.h"

#define EFI_INFO_MAGIC 0x6f666e4969666543ull /* "CefiInfo", little endian */
#define EFI_INFO_MACHINE_BYTES 96u
#define EFI_INFO_NOTE_BYTES 200u
#define EFI_INFO_RSDP_BYTES 36u

/* boot_mem_range.reserved: what firmware had mapped cacheable, whatever its type. */
#define EFI_RANGE_CACHEABLE 1u

struct efi_info {
    uint64_t magic;
    struct boot_handoff handoff;
    char machine[EFI_INFO_MACHINE_BYTES]; /* SMBIOS: maker and product, terminated; "": not known */
    char note[EFI_INFO_NOTE_BYTES];       /* what the report should say, terminated; "": nothing */
    uint8_t rsdp[EFI_INFO_RSDP_BYTES];    /* a copy of the ACPI root pointer */
};

#endif
