/* SPDX-License-Identifier: Apache-2.0 */
/* What the arm64 kernel takes early of a device tree that UEFI has. Memory comes from UEFI's map.
 */
#include <libfdt.h>

#include "boot/device_tree.h"
#include "boot/efi/efi.h"

/* The application has copied it into the block, which is mapped. */
void efi_take_tree(struct boot_handoff *handoff)
{
    const void *blob = (const void *)handoff->device_tree_phys;

    if (!blob)
        return;
    if (fdt_check_header(blob))
        handoff->device_tree_phys = 0;
    else
        device_tree_console(blob, &handoff->console);
}
