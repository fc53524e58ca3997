/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EFI application: firmware starts it, it gathers what the kernel inside it needs, and leaves
 * boot services for that kernel. One file for each step:
 *
 *   main      the order          options   load options → command line
 *   block     memory for all     config    corestorm.cfg beside the image
 *   map       memory map, exit   tables    ACPI, device tree, SMBIOS
 *   screen    GOP                <arch>/   places and enters the kernel
 *   rescue    the report of the run before (rescue.h)
 *
 * Specification: UEFI 2.10; the sections are named where they matter. Strings of firmware are
 * UCS-2.
 *
 * I1. Once ExitBootServices has been called, nothing is allocated, and nothing of firmware is
 *     called but GetMemoryMap and ExitBootServices again (7.4.6).
 * I2. What fails says so on firmware's console and returns to firmware, which goes on to the next
 *     boot option; what is only missing is noted for the report (app_note). A firmware that never
 *     lets go is the exception to I1: there is nothing left to lose.
 */
#ifndef BOOT_EFI_APP_H
#define BOOT_EFI_APP_H

#include <efi.h>
#include <efilib.h>

#include <stdbool.h>
#include <stddef.h>

#include "boot/efi/info.h"

/* EFI_STATUS as what a function returns in this application: 0 or an error of firmware. */
#define APP_MUST_CHECK __attribute__((warn_unused_result))

/* Prints why the kernel cannot be started, and gives a person time to read it. Returns `status`. */
EFI_STATUS app_fail(EFI_STATUS status, const CHAR16 *what);
/* Something that the report should say: ASCII. Kept as long as there is room. */
void app_note(const char *text);

/* A text of bytes, from the pool; NULL and 0: none. */
struct app_text {
    char *text;
    UINTN bytes;
};

/* options.c: the load options without the image's own name, as ASCII. */
struct app_text options_read(const EFI_LOADED_IMAGE *loaded);
/* The same of any block of bytes, for the tests: writes at most `bytes`, returns the length. */
UINTN options_convert(const void *options, UINTN options_bytes, char *text, UINTN bytes);

/* config.c: the text of corestorm.cfg. */
struct app_text config_read(const EFI_LOADED_IMAGE *loaded);

/* tables.c */
void tables_find(struct efi_info *info);
/* The device tree, where it lies now; *bytes is its size. NULL: none. */
const void *tables_device_tree(UINTN *bytes);

/* screen.c */
void screen_find(struct boot_framebuffer *out);

/* map.c: `room` bytes at `at` hold the map from the first call on. */
struct map_space {
    void *at;
    UINTN room;
};
/* How many bytes to keep: with all that may still be added. */
EFI_STATUS map_room(UINTN *bytes) APP_MUST_CHECK;
/* Leaves boot services, then turns the map in place into ranges for the hand-off (info.h). */
EFI_STATUS map_exit(EFI_HANDLE image, const struct map_space *space,
                    struct boot_handoff *handoff) APP_MUST_CHECK;
/* The conversion alone: `count` ranges, ascending, in place. */
UINT32 map_convert(void *map, UINTN bytes, UINTN stride);

/* block.c: one block of memory for info.h's struct and all that it names. */
EFI_STATUS block_make(struct app_text options, struct app_text config, struct efi_info **info,
                      struct map_space *space) APP_MUST_CHECK;

/* <arch>/: puts the kernel inside the application where it can run, and jumps to it. */
#define PAYLOAD_MEMORY_LIMIT 0x100000000ull
EFI_STATUS payload_place(void) APP_MUST_CHECK;
/* The highest address that the block may end at: 0 for any. */
UINT64 payload_block_limit(void);
/* To memory, and out of the caches. */
void payload_write_back(UINT64 base, UINT64 bytes);
/* Boot services have been left. */
_Noreturn void payload_enter(const struct efi_info *info);

#endif
