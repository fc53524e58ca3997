/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's device tree, for drivers; nodes are libfdt's offsets. */
#ifndef DRIVERS_FDT_H
#define DRIVERS_FDT_H

#include <stdint.h>

#include "core/compiler.h"

/* The blob, checked, in a window of its own; NULL when the boot path passed none. First called in
 * INIT_CONSOLE or later. */
const void *fdt_tree(void);

/* boot/device_tree.h, of this tree. */
bool fdt_reg(int node, unsigned i, uint64_t *base, uint64_t *bytes);
bool fdt_is_enabled(int node);
bool fdt_text_is(int node, const char *name, const char *text);
uint64_t fdt_number(int node, const char *name, uint64_t otherwise);

/* The hardware id of a CPU's node, from its "reg". */
bool fdt_cpu_hw_id(int node, uint64_t *hw_id);

#endif
