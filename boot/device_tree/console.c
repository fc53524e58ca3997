/* SPDX-License-Identifier: Apache-2.0 */
/* The console that a device tree chooses (boot/device_tree.h). */
#include "boot/device_tree.h"

#include <libfdt.h>

#include "boot/handoff.h"

/* "serial0:115200n8", "/soc/uart@…" or an alias. */
static int stdout_node(const void *blob, int chosen)
{
    const char *path = fdt_getprop(blob, chosen, "stdout-path", NULL);
    const char *options = path ? strchr(path, ':') : NULL;

    if (!path)
        return -FDT_ERR_NOTFOUND;
    return fdt_path_offset_namelen(blob, path, options ? (int)(options - path) : (int)strlen(path));
}

void device_tree_console(const void *blob, struct boot_console *console)
{
    int chosen = fdt_path_offset(blob, "/chosen");
    int node = chosen < 0 ? chosen : stdout_node(blob, chosen);
    uint64_t bytes;

    if (node < 0 || !device_tree_reg(blob, node, 0, &console->phys, &bytes))
        return;
    console->register_shift = (uint32_t)device_tree_number(blob, node, "reg-shift", 0);
    console->register_bytes = (uint32_t)device_tree_number(blob, node, "reg-io-width", 1);
    if (!fdt_node_check_compatible(blob, node, "arm,pl011") ||
        !fdt_node_check_compatible(blob, node, "arm,sbsa-uart"))
        console->kind = BOOT_CONSOLE_PL011;
    else if (!fdt_node_check_compatible(blob, node, "ns16550a") ||
             !fdt_node_check_compatible(blob, node, "ns16550") ||
             !fdt_node_check_compatible(blob, node, "snps,dw-apb-uart"))
        console->kind = BOOT_CONSOLE_16550;
}
