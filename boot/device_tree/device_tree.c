/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and numbers of a device tree (boot/device_tree.h). */
#include "boot/device_tree.h"

#include <libfdt.h>

#define CELLS_MAX 2

static uint64_t read_cells(const fdt32_t *cell, int cells)
{
    uint64_t value = 0;

    while (cells-- > 0)
        value = value << 32 | fdt32_ld(cell++);
    return value;
}

/* The specification allows more, for addresses that are not in memory. */
static bool cells_are_usable(int address_cells, int size_cells)
{
    return address_cells >= 1 && address_cells <= CELLS_MAX && size_cells >= 0 &&
           size_cells <= CELLS_MAX;
}

/* One bus upwards: the address on the side of `above`. An empty "ranges" is the identity. */
static bool through_bus(const void *blob, int bus, int above, uint64_t *address)
{
    int bytes, child = fdt_address_cells(blob, bus), parent = fdt_address_cells(blob, above);
    int size = fdt_size_cells(blob, bus), stride = child + parent + size;
    const fdt32_t *ranges = fdt_getprop(blob, bus, "ranges", &bytes);

    if (!ranges || !cells_are_usable(child, size) || !cells_are_usable(parent, 0))
        return false;
    for (int i = 0; i < bytes / 4 / stride; i++, ranges += stride) {
        uint64_t base = read_cells(ranges, child), span = read_cells(ranges + child + parent, size);

        if (*address >= base && *address - base < span) {
            *address = read_cells(ranges + child, parent) + (*address - base);
            return true;
        }
    }
    return bytes == 0;
}

bool device_tree_reg(const void *blob, int node, unsigned i, uint64_t *base, uint64_t *bytes)
{
    int bus = fdt_parent_offset(blob, node), length, above;
    int address_cells = fdt_address_cells(blob, bus), size_cells = fdt_size_cells(blob, bus);
    const fdt32_t *reg = fdt_getprop(blob, node, "reg", &length);

    if (!reg || !cells_are_usable(address_cells, size_cells) ||
        (unsigned)(length / 4 / (address_cells + size_cells)) <= i)
        return false;
    reg += (int)i * (address_cells + size_cells);
    *base = read_cells(reg, address_cells);
    *bytes = read_cells(reg + address_cells, size_cells);
    for (; bus > 0; bus = above) {
        above = fdt_parent_offset(blob, bus);
        if (above < 0 || !through_bus(blob, bus, above, base))
            return false;
    }
    return bus == 0;
}

bool device_tree_text_is(const void *blob, int node, const char *name, const char *text)
{
    int bytes;
    const char *value = fdt_getprop(blob, node, name, &bytes);

    return value && bytes == (int)strlen(text) + 1 && !memcmp(value, text, (size_t)bytes);
}

bool device_tree_is_enabled(const void *blob, int node)
{
    return !fdt_getprop(blob, node, "status", NULL) ||
           device_tree_text_is(blob, node, "status", "okay") ||
           device_tree_text_is(blob, node, "status", "ok");
}

uint64_t device_tree_number(const void *blob, int node, const char *name, uint64_t otherwise)
{
    int bytes;
    const fdt32_t *cells = fdt_getprop(blob, node, name, &bytes);

    return cells && (bytes == 4 || bytes == 8) ? read_cells(cells, bytes / 4) : otherwise;
}
