/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PVH start info to struct boot_handoff.
 *
 * Layout: Xen public/arch-x86/hvm/start_info.h. Everything in it is a physical address; what does
 * not lie below 4 GiB is left out, since only that is mapped here.
 */
#include <stddef.h>

#include "boot/handoff.h"
#include "boot/pvh/pvh.h"

#define PVH_MAGIC 0x336ec578u
#define FOUR_GIB (1ull << 32)
#define MEM_MAP_ENTRIES_MAX 65536u
/* What the monitor wrote is reserved as one range if it lies this close together. */
#define LOADER_SPAN_MAX (1u << 20)

struct pvh_start_info {
    uint32_t magic;
    uint32_t version; /* 1: has the memory map */
    uint32_t flags;
    uint32_t nr_modules;
    uint64_t modules_phys;
    uint64_t cmdline_phys;
    uint64_t rsdp_phys;
    uint64_t mem_map_phys;
    uint32_t mem_map_entries;
    uint32_t reserved;
};

static struct boot_handoff handoff = {
    .magic = BOOT_HANDOFF_MAGIC,
    .version = BOOT_HANDOFF_VERSION,
    .bytes = sizeof(handoff),
    .path = "pvh",
    .firmware = BOOT_FIRMWARE_NONE,
};

static int is_low(uint64_t phys, uint64_t bytes)
{
    return phys && phys < FOUR_GIB && bytes <= FOUR_GIB - phys;
}

static uint32_t text_bytes(uint64_t phys)
{
    const char *text = (const char *)(uintptr_t)phys;
    uint32_t bytes = 0;

    while (bytes < BOOT_TEXT_BYTES_MAX && is_low(phys, bytes + 1) && text[bytes])
        bytes++;
    return bytes;
}

static void take_mem_map(const struct pvh_start_info *info)
{
    uint64_t bytes = (uint64_t)info->mem_map_entries * sizeof(struct boot_mem_range);

    if (info->version < 1 || info->mem_map_entries > MEM_MAP_ENTRIES_MAX ||
        !is_low(info->mem_map_phys, bytes))
        return;
    handoff.mem_map_phys = info->mem_map_phys;
    handoff.mem_map_entries = info->mem_map_entries;
    handoff.mem_map_stride = sizeof(struct boot_mem_range);
}

/* Start info, map and command line are three pieces, near each other with every known monitor.
 * Where they are not, the map is what matters: the command line is copied before memory is given out. */
static void reserve_pieces(uint64_t info_phys)
{
    uint64_t map_end = handoff.mem_map_phys +
                       (uint64_t)handoff.mem_map_entries * sizeof(struct boot_mem_range);
    uint64_t start = info_phys, end = info_phys + sizeof(struct pvh_start_info);

    if (handoff.cmdline_phys) {
        start = start < handoff.cmdline_phys ? start : handoff.cmdline_phys;
        if (end < handoff.cmdline_phys + handoff.cmdline_bytes)
            end = handoff.cmdline_phys + handoff.cmdline_bytes;
    }
    if (handoff.mem_map_phys) {
        start = start < handoff.mem_map_phys ? start : handoff.mem_map_phys;
        end = end > map_end ? end : map_end;
        if (end - start > LOADER_SPAN_MAX) {
            start = handoff.mem_map_phys;
            end = map_end;
        }
    }
    handoff.loader_phys = start;
    handoff.loader_bytes = end - start;
}

const struct boot_handoff *pvh_handoff(uint32_t info_phys)
{
    const struct pvh_start_info *info = (const struct pvh_start_info *)(uintptr_t)info_phys;

    if (!is_low(info_phys, sizeof(*info)) || info->magic != PVH_MAGIC) {
        handoff.path = "pvh (start info is damaged)";
        return &handoff;
    }
    take_mem_map(info);
    if (is_low(info->cmdline_phys, 1)) {
        handoff.cmdline_phys = info->cmdline_phys;
        handoff.cmdline_bytes = text_bytes(info->cmdline_phys);
    }
    if (is_low(info->rsdp_phys, 1))
        handoff.acpi_rsdp_phys = info->rsdp_phys;
    reserve_pieces(info_phys);
    return &handoff;
}
