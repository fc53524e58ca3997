/* SPDX-License-Identifier: Apache-2.0 */
/* The multiboot2 boot path's converter, called by arch/x86_64/early_entry.asm in long mode. */
#ifndef BOOT_MULTIBOOT2_H
#define BOOT_MULTIBOOT2_H

#include <stdint.h>

struct boot_handoff;

/* Never fails: what the information lacks, or what is malformed in it, is left out of the hand-off,
 * and the kernel says what it misses. */
const struct boot_handoff *multiboot2_handoff(uint32_t info_phys);

#endif
