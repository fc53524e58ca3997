/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every boot path hands to the kernel: one struct, whatever firmware or loader came before.
 *
 * The boot path validates what it passes (addresses in order, strings terminated, counts bounded
 * by the table that holds them); the kernel validates it again and copies what it keeps. All
 * addresses are physical; until core/main.c has switched to the kernel's own page tables the first
 * 4 GiB are also mapped one to one, and every table named here must lie below 4 GiB or be absent
 * (arm64: the usable memory and the device tree are mapped one to one, wherever they lie).
 */
#ifndef BOOT_HANDOFF_H
#define BOOT_HANDOFF_H

#include <stdint.h>

#define BOOT_HANDOFF_MAGIC 0x6d726f7473455243ull /* "CREstorm", little endian */
#define BOOT_HANDOFF_VERSION 2u

/* The parameters, as a command line and as a file: what the kernel reads of each, and what a boot path
 * passes at most (what is longer is cut and said by the kernel, which sees the length). */
#define BOOT_TEXT_BYTES_READ 8191u
#define BOOT_TEXT_BYTES_MAX 65536u

/* Types of a memory range: the values of the BIOS E820 interface (ACPI 6.5, table 15.2), which
 * PVH and multiboot2 use too. Anything else is treated as BOOT_MEM_RESERVED. */
enum boot_mem_type {
    BOOT_MEM_USABLE = 1,
    BOOT_MEM_RESERVED = 2,
    BOOT_MEM_ACPI = 3, /* tables; usable once they have been copied out (we never reclaim it) */
    BOOT_MEM_NVS = 4,
    BOOT_MEM_BAD = 5,
};

/* The layout of a PVH memory-map entry and of a multiboot2 one, so that both are passed in place:
 * a map of any size needs no buffer here. */
struct boot_mem_range {
    uint64_t base;
    uint64_t bytes;
    uint32_t type; /* enum boot_mem_type */
    uint32_t reserved;
};

enum boot_firmware {
    BOOT_FIRMWARE_UNKNOWN,
    BOOT_FIRMWARE_NONE, /* a VMM that started the kernel itself */
    BOOT_FIRMWARE_BIOS,
    BOOT_FIRMWARE_UEFI,
    BOOT_FIRMWARE_HOST, /* a Linux process */
};

struct boot_framebuffer {
    uint64_t phys; /* 0: none */
    uint32_t pitch_bytes, width_pixels, height_pixels;
    uint8_t bits_per_pixel, red_shift, green_shift, blue_shift;
};

/* The console that firmware or its tables name, for output before any driver has looked. */
enum boot_console_kind {
    BOOT_CONSOLE_NONE,
    BOOT_CONSOLE_PL011,
    BOOT_CONSOLE_16550, /* registers in memory */
};

struct boot_console {
    enum boot_console_kind kind;
    uint32_t register_shift; /* 16550: registers are 1 << this bytes apart */
    uint32_t register_bytes; /* 16550: width of an access, 1 or 4 */
    uint64_t phys;
};

struct boot_handoff {
    uint64_t magic;
    uint32_t version;
    uint32_t bytes; /* sizeof of this struct, as the boot path knew it */
    const char *path; /* "pvh", "multiboot2", ...: a string in the kernel image */
    enum boot_firmware firmware;

    uint64_t mem_map_phys; /* array of struct boot_mem_range ... */
    uint32_t mem_map_entries;
    uint32_t mem_map_stride; /* ... this many bytes apart (>= sizeof(struct boot_mem_range)) */

    uint64_t cmdline_phys; /* not necessarily terminated; 0: none */
    uint32_t cmdline_bytes;

    /* The text of corestorm.cfg (docs/real-hardware.md), not necessarily terminated; 0: none. Read
     * before the command line, which so has the last word. */
    uint32_t config_bytes;
    uint64_t config_phys;

    /* What must not be overwritten beside the kernel image: the loader's own tables. */
    uint64_t loader_phys, loader_bytes;

    uint64_t acpi_rsdp_phys; /* 0: the kernel looks in the BIOS area where there is one */
    uint64_t device_tree_phys;
    struct boot_framebuffer framebuffer;
    struct boot_console console;
    /* What firmware calls it (first root "compatible" of a tree, SMBIOS maker and product), or NULL. */
    const char *machine;
    const char *note; /* what the boot path has to say; becomes a warning of the report; or NULL */

    /* Memory for the report that outlives a reset (boot/report_store.h), its head filled; reserved
     * in the map. 0: none, nothing can be saved. */
    uint64_t report_store_phys, report_store_bytes;
};

#endif
