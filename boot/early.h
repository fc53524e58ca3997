/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a port gives its boot paths: memory that is not mapped yet.
 *
 * A boot path ends in early_entry (arch/<port>/early_entry) with the physical address of its
 * information and of a converter:
 *
 *   const struct boot_handoff *converter(uint64_t info_phys);
 *
 * which runs at the kernel's own addresses on the boot CPU's stack. The image is mapped; other
 * memory is reached one to one, once it has been asked for (x86-64: the first 4 GiB are mapped from
 * the start, nothing above is reached before the kernel has its own tables, and every request is
 * granted):
 */
#ifndef BOOT_EARLY_H
#define BOOT_EARLY_H

/* What the EFI application passes in x1 to the arm64 Image, where other loaders have 0: x0 is the
 * address of struct efi_info, not of a device tree. "CefiBoot", little endian. */
#define BOOT_EARLY_IS_EFI 0x746f6f4269666543

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

/* Maps [phys, phys+bytes), rounded out to pages, one to one and at the direct map, cacheable. It
 * must be memory: a device that is read ahead by a cache may do anything. False when the early
 * tables are full, or the address is beyond what they hold; parts may be mapped then. What is
 * mapped already stays as it is. */
bool early_map(uint64_t phys, uint64_t bytes) __attribute__((warn_unused_result));

/* The physical address of something in the image (arm64). */
uint64_t early_phys(const void *in_image);

#endif

#endif
