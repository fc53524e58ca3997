/* SPDX-License-Identifier: Apache-2.0 */
/* The device tree, for drivers: libfdt's offsets, and what libfdt does not do. Devicetree
 * Specification 0.4. */
#ifndef DRIVERS_FDT_H
#define DRIVERS_FDT_H

#include <stdint.h>

#include "core/compiler.h"

/* The blob, checked, in a window of its own; NULL when the boot path passed none. First called in
 * INIT_CONSOLE or later. */
const void *fdt_tree(void);

/* The address and size of the i-th "reg" of a node as the processor sees them, through the "ranges"
 * of its buses. False past the end, or where a bus has no such address. */
bool fdt_reg(int node, unsigned i, uint64_t *base, uint64_t *bytes);

/* Neither "disabled" nor "fail"; a node without "status" is enabled. */
bool fdt_is_enabled(int node);

/* Whether the value of a text property is `text`. */
bool fdt_text_is(int node, const char *name, const char *text);

/* A property of one or two cells; `otherwise` when it is not there. */
uint64_t fdt_number(int node, const char *name, uint64_t otherwise);

#endif
