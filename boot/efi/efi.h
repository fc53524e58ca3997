/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's side of the EFI boot path: the converter, and what differs between architectures. */
#ifndef BOOT_EFI_EFI_H
#define BOOT_EFI_EFI_H

#include "boot/efi/info.h"

/* Called by early_entry with the block that the application left. Never fails: what is damaged is
 * passed as nothing, and the kernel says what it misses. */
const struct boot_handoff *efi_handoff(uint64_t info_phys);

/* <arch>/tree.c: what is taken of a device tree this early. */
void efi_take_tree(struct boot_handoff *handoff);

#endif
