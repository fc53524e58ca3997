/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libfdt does not do: addresses as the processor sees them, and numbers. For the boot paths
 * that get a device tree, and for the drivers that read it later. Devicetree Specification 0.4.
 *
 * Pure functions over a blob that fdt_check_header() has accepted. They are as safe as libfdt: each
 * access is inside a property that it returned, and loops go over one property or up the tree.
 */
#ifndef BOOT_DEVICE_TREE_H
#define BOOT_DEVICE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* The i-th pair of a node's "reg", the address through the "ranges" of its buses. False past the
 * end, or where a bus does not lead it up to the processor. */
bool device_tree_reg(const void *blob, int node, unsigned i, uint64_t *base, uint64_t *bytes);

/* "status" is "okay" or "ok", or there is none. */
bool device_tree_is_enabled(const void *blob, int node);

/* Whether the value of a text property is `text`, all of it. */
bool device_tree_text_is(const void *blob, int node, const char *name, const char *text);

/* A property of one or two cells; `otherwise` when it is not there or of another size. */
uint64_t device_tree_number(const void *blob, int node, const char *name, uint64_t otherwise);

/* The UART of /chosen's "stdout-path", if it is of a known kind; *console stays as it is if not. */
struct boot_console;
void device_tree_console(const void *blob, struct boot_console *console);

#endif
