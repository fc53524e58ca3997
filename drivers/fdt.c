/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device tree's blob, and addresses through buses.
 *
 * I1. The blob is read only after libfdt has walked all of it once (fdt_check_full), so that later
 *     walks stay inside it whatever it says.
 * I2. Loops here go up the tree, which is as deep as libfdt allows, or over one property.
 */
#include "drivers/fdt.h"

#include <libfdt.h>

#include <arch/mmu.h>

#include "boot/handoff.h"
#include "core/init.h"
#include "core/log.h"
#include "core/string.h"

#define FDT_CELLS_MAX 2
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

static uint64_t fdt_cells(const fdt32_t *cell, int cells)
{
    uint64_t value = 0;

    while (cells-- > 0)
        value = value << 32 | fdt32_ld(cell++);
    return value;
}

/* One bus upwards: the address on the parent's side of `bus`. An empty "ranges" is the identity. */
static bool fdt_through_bus(int bus, int above, uint64_t *address)
{
    const void *tree = fdt_tree();
    int bytes, child = fdt_address_cells(tree, bus), parent = fdt_address_cells(tree, above);
    int size = fdt_size_cells(tree, bus), stride = child + parent + size;
    const fdt32_t *ranges = fdt_getprop(tree, bus, "ranges", &bytes);

    if (!ranges || child < 1 || child > FDT_CELLS_MAX || parent < 1 || parent > FDT_CELLS_MAX ||
        size < 0 || size > FDT_CELLS_MAX)
        return false;
    for (int i = 0; i < bytes / 4 / stride; i++, ranges += stride) {
        uint64_t base = fdt_cells(ranges, child), span = fdt_cells(ranges + child + parent, size);

        if (*address >= base && *address - base < span) {
            *address = fdt_cells(ranges + child, parent) + (*address - base);
            return true;
        }
    }
    return bytes == 0;
}

bool fdt_reg(int node, unsigned i, uint64_t *base, uint64_t *bytes)
{
    const void *tree = fdt_tree();
    int bus = fdt_parent_offset(tree, node), length, stride;
    const fdt32_t *reg = fdt_getprop(tree, node, "reg", &length);
    int address_cells = fdt_address_cells(tree, bus), size_cells = fdt_size_cells(tree, bus);

    stride = address_cells + size_cells;
    if (!reg || address_cells < 1 || address_cells > FDT_CELLS_MAX || size_cells < 0 ||
        size_cells > FDT_CELLS_MAX || (unsigned)(length / 4 / stride) <= i)
        return false;
    *base = fdt_cells(reg + (int)i * stride, address_cells);
    *bytes = fdt_cells(reg + (int)i * stride + address_cells, size_cells);
    while (bus > 0) {
        int above = fdt_parent_offset(tree, bus);

        if (above < 0 || !fdt_through_bus(bus, above, base))
            return false;
        bus = above;
    }
    return true;
}

bool fdt_is_enabled(int node)
{
    const char *status = fdt_getprop(fdt_tree(), node, "status", NULL);

    return !status || !strcmp(status, "okay") || !strcmp(status, "ok");
}

bool fdt_text_is(int node, const char *name, const char *text)
{
    int bytes;
    const char *value = fdt_getprop(fdt_tree(), node, name, &bytes);

    return value && bytes == (int)strlen(text) + 1 && !memcmp(value, text, (size_t)bytes);
}

uint64_t fdt_number(int node, const char *name, uint64_t otherwise)
{
    int bytes;
    const fdt32_t *cells = fdt_getprop(fdt_tree(), node, name, &bytes);

    return cells && (bytes == 4 || bytes == 8) ? fdt_cells(cells, bytes / 4) : otherwise;
}
