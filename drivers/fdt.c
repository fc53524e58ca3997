/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device tree's blob, opened once.
 *
 * I1. The blob is read only after libfdt has walked all of it once (fdt_check_full), so that later
 *     walks stay inside it whatever it says.
 */
#include "drivers/fdt.h"

#include <libfdt.h>

#include <arch/mmu.h>

#include "boot/device_tree.h"
#include "boot/handoff.h"
#include "core/init.h"
#include "core/log.h"

#define FDT_BLOB_BYTES_MAX (16u << 20)

static const void *fdt_open(void)
{
    uint64_t phys = kernel_handoff->device_tree_phys;
    const void *blob = phys ? arch_map_memory(phys, sizeof(struct fdt_header)) : NULL;
    size_t bytes;

    if (!blob)
        return NULL;
    bytes = fdt_check_header(blob) ? 0 : fdt_totalsize(blob);
    if (!bytes || bytes > FDT_BLOB_BYTES_MAX) {
        log_warn("device tree: not one, or too large");
        return NULL;
    }
    blob = arch_map_memory(phys, bytes);
    if (blob && fdt_check_full(blob, bytes)) {
        log_warn("device tree: its structure is broken; it is not used");
        return NULL;
    }
    return blob;
}

const void *fdt_tree(void)
{
    static const void *tree;
    static bool opened;

    if (!opened) {
        opened = true;
        tree = fdt_open();
    }
    return tree;
}

bool fdt_reg(int node, unsigned i, uint64_t *base, uint64_t *bytes)
{
    return device_tree_reg(fdt_tree(), node, i, base, bytes);
}

bool fdt_is_enabled(int node)
{
    return device_tree_is_enabled(fdt_tree(), node);
}

bool fdt_text_is(int node, const char *name, const char *text)
{
    return device_tree_text_is(fdt_tree(), node, name, text);
}

uint64_t fdt_number(int node, const char *name, uint64_t otherwise)
{
    return device_tree_number(fdt_tree(), node, name, otherwise);
}
