/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the block that the EFI application left (boot/efi/info.h) to struct boot_handoff.
 *
 * I1. Memory is passed as usable only where it is mapped now, or where nobody reaches it before the
 *     kernel has its own tables (boot/early.h). Where the early tables have no room, memory is
 *     lost.
 * I2. Neighbours that firmware had mapped cacheable are mapped as one, whatever their types, so
 *     that a map of a thousand pieces does not need a thousand tables.
 */
#include <stdbool.h>
#include <stddef.h>

#include "boot/early.h"
#include "boot/efi/efi.h"

static struct efi_info info = {
    .handoff = {.magic = BOOT_HANDOFF_MAGIC,
                .version = BOOT_HANDOFF_VERSION,
                .bytes = sizeof(struct boot_handoff),
                .path = "efi",
                .firmware = BOOT_FIRMWARE_UEFI},
};

/* How many entries from `first` on follow each other without a gap and are cacheable. */
static uint32_t run_length(const struct boot_mem_range *map, uint32_t first, uint32_t count)
{
    uint32_t n = 0;

    while (first + n < count && map[first + n].reserved & EFI_RANGE_CACHEABLE &&
           (!n || map[first + n].base == map[first + n - 1].base + map[first + n - 1].bytes))
        n++;
    return n;
}

/* Behind what the application has to say. */
static void note(const char *more)
{
    uint32_t used = 0;

    while (info.note[used])
        used++;
    for (const char *c = used ? "; " : ""; *c && used + 1 < EFI_INFO_NOTE_BYTES; c++)
        info.note[used++] = *c;
    while (*more && used + 1 < EFI_INFO_NOTE_BYTES)
        info.note[used++] = *more++;
    info.note[used] = 0;
}

static void map_runs(struct boot_mem_range *map, uint32_t count)
{
    bool lost = false;
    uint32_t n;

    for (uint32_t first = 0; first < count; first += n) {
        const struct boot_mem_range *last;

        n = run_length(map, first, count);
        if (!n) {
            n = 1; /* not cacheable: not usable either (boot/efi/app/map.c) */
            continue;
        }
        last = &map[first + n - 1];
        if (early_map(map[first].base, last->base + last->bytes - map[first].base))
            continue;
        for (uint32_t i = 0; i < n; i++)
            map[first + i].type = BOOT_MEM_RESERVED;
        lost = true;
    }
    if (lost)
        note("memory is in more pieces than the early page tables have room for, and not all of "
             "it is used");
}

/* A block that is not one is passed as none: the kernel then says that there is no memory map. */
const struct boot_handoff *efi_handoff(uint64_t info_phys)
{
    const struct efi_info *from = (const struct efi_info *)info_phys;
    const char *path = info.handoff.path;

    if (!info_phys || info_phys % 8 || !early_map(info_phys, sizeof(*from)) ||
        from->magic != EFI_INFO_MAGIC || !early_map(info_phys, from->handoff.loader_bytes)) {
        info.handoff.path = "efi (its information is damaged)";
        return &info.handoff;
    }
    info = *from;
    info.machine[EFI_INFO_MACHINE_BYTES - 1] = 0;
    info.note[EFI_INFO_NOTE_BYTES - 1] = 0;
    info.handoff.path = path;
    info.handoff.machine = info.machine[0] ? info.machine : NULL;
    efi_take_tree(&info.handoff);
    map_runs((struct boot_mem_range *)info.handoff.mem_map_phys, info.handoff.mem_map_entries);
    info.handoff.note = info.note[0] ? info.note : NULL;
    return &info.handoff;
}
