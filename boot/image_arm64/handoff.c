/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the flattened device tree to struct boot_handoff: memory, command line, console.
 *
 * Devicetree Specification 0.4: memory nodes 3.4, /reserved-memory 3.5, /chosen 3.6, memory
 * reservation block 5.3. What drivers want of the tree they read themselves (drivers/fdt.c).
 *
 * I1. Memory is passed as usable only when it is mapped one to one, so a range that must not be
 *     mapped ("no-map"), or for which the early tables have no room, is never touched.
 * I2. Reservations are cut out of the memory that is passed. Where there are more of either than
 *     there is room for, memory is lost, never a reservation.
 */
#include <libfdt.h>

#include <arch/hooks.h>

#include "boot/device_tree.h"
#include "boot/early.h"
#include "boot/handoff.h"

#define RANGES_MAX 256
#define BLOB_BYTES_MAX (16u << 20)

const struct boot_handoff *image_handoff(uint64_t info_phys);

struct span {
    uint64_t base, end;
    bool no_map; /* must not be mapped cacheable, since that lets caches read it */
};

static struct boot_mem_range ranges[RANGES_MAX];
static struct span reserved[RANGES_MAX];
static uint32_t nr_ranges, nr_reserved;
static bool reservations_lost;

static struct boot_handoff handoff = {
    .magic = BOOT_HANDOFF_MAGIC,
    .version = BOOT_HANDOFF_VERSION,
    .bytes = sizeof(handoff),
    .path = "image_arm64",
    .firmware = BOOT_FIRMWARE_NONE,
};

/* What would go beyond the end of all addresses ends there. */
static void add_reserved(uint64_t base, uint64_t bytes, bool no_map)
{
    uint64_t end = bytes <= UINT64_MAX - base ? base + bytes : UINT64_MAX;

    if (nr_reserved == RANGES_MAX)
        reservations_lost = true;
    else if (bytes)
        reserved[nr_reserved++] = (struct span){base, end, no_map};
}

static void read_reservations(const void *blob)
{
    int parent = fdt_path_offset(blob, "/reserved-memory"), node;
    uint64_t base, bytes;

    for (int i = 0; i < fdt_num_mem_rsv(blob); i++)
        if (fdt_get_mem_rsv(blob, i, &base, &bytes) == 0)
            add_reserved(base, bytes, false);
    if (parent < 0)
        return;
    fdt_for_each_subnode(node, blob, parent)
    {
        bool no_map = fdt_getprop(blob, node, "no-map", NULL);

        for (unsigned i = 0;
             device_tree_is_enabled(blob, node) && device_tree_reg(blob, node, i, &base, &bytes);
             i++)
            add_reserved(base, bytes, no_map);
    }
}

/* The end of the piece that begins at `at` and lies in the same reservations all along; *in says
 * in which, NULL for none, one with "no-map" before others. */
static uint64_t piece_end(uint64_t at, uint64_t end, const struct span **in)
{
    *in = NULL;
    for (uint32_t i = 0; i < nr_reserved; i++) {
        const struct span *r = &reserved[i];

        if (r->base > at && r->base < end)
            end = r->base;
        if (at < r->base || at >= r->end)
            continue;
        if (r->end < end)
            end = r->end;
        if (!*in || r->no_map)
            *in = r;
    }
    return end;
}

static void add_memory(uint64_t base, uint64_t end)
{
    while (base < end) {
        const struct span *in;
        uint64_t next = piece_end(base, end, &in);
        bool mapped = !(in && in->no_map) && early_map(base, next - base);

        if (mapped && !in && nr_ranges < RANGES_MAX)
            ranges[nr_ranges++] = (struct boot_mem_range){
                .base = base, .bytes = next - base, .type = BOOT_MEM_USABLE};
        base = next;
    }
}

static void read_memory(const void *blob)
{
    uint64_t base, bytes;
    int node;

    fdt_for_each_subnode(node, blob, 0)
    {
        if (!device_tree_text_is(blob, node, "device_type", "memory") ||
            !device_tree_is_enabled(blob, node))
            continue;
        for (unsigned i = 0; device_tree_reg(blob, node, i, &base, &bytes); i++)
            add_memory(base, base + bytes < base ? base : base + bytes);
    }
}

static void read_chosen(const void *blob, uint64_t blob_phys)
{
    int chosen = fdt_path_offset(blob, "/chosen"), bytes;
    const char *bootargs;

    if (chosen < 0)
        return;
    bootargs = fdt_getprop(blob, chosen, "bootargs", &bytes);
    if (bootargs && bytes > 0) {
        handoff.cmdline_phys = blob_phys + (uint64_t)(bootargs - (const char *)blob);
        handoff.cmdline_bytes = (uint32_t)bytes - 1;
    }
}

/* A blob that is not one is passed as none: the kernel then says that there is no memory. */
const struct boot_handoff *image_handoff(uint64_t info_phys)
{
    const void *blob = (const void *)info_phys;
    const char *machine;

    if (!info_phys || info_phys % 8 || !early_map(info_phys, sizeof(struct fdt_header)) ||
        fdt_check_header(blob) || fdt_totalsize(blob) > BLOB_BYTES_MAX ||
        !early_map(info_phys, fdt_totalsize(blob)))
        return &handoff;
    read_reservations(blob);
    add_reserved(info_phys, fdt_totalsize(blob), false);
    if (!reservations_lost)
        read_memory(blob);
    read_chosen(blob, info_phys);
    device_tree_console(blob, &handoff.console);
    machine = fdt_getprop(blob, 0, "compatible", NULL);
    handoff.machine = machine;
    handoff.mem_map_phys = early_phys(ranges);
    handoff.mem_map_entries = nr_ranges;
    handoff.mem_map_stride = sizeof(ranges[0]);
    handoff.device_tree_phys = info_phys;
    handoff.loader_phys = info_phys;
    handoff.loader_bytes = fdt_totalsize(blob);
    return &handoff;
}
