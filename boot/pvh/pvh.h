/* SPDX-License-Identifier: Apache-2.0 */
/* The PVH boot path's converter, called by arch/x86_64/early_entry.asm in long mode. */
#ifndef BOOT_PVH_H
#define BOOT_PVH_H

#include <stdint.h>

struct boot_handoff;

/* Never fails: where the start info is not one, the hand-off is without memory map, and the kernel
 * says so. */
const struct boot_handoff *pvh_handoff(uint32_t info_phys);

#endif
