/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiboot2 information to struct boot_handoff.
 *
 * The information is one block: a header of two words, then tags, each { type, bytes, … } on a
 * multiple of 8, up to one of type 0 (multiboot2 specification 2.0, section 3.6).
 *
 * I1. Nothing is read outside the block, whose size is bounded and which lies below 4 GiB.
 * I2. Each step over a tag is at least 8 bytes: a tag that claims less, or more than what is left,
 *     ends the walk.
 */
#include <stddef.h>

#include "boot/handoff.h"
#include "boot/multiboot2/multiboot2.h"

#define INFO_BYTES_MAX (16u << 20)

enum tag_type {
    TAG_END = 0,
    TAG_CMDLINE = 1,
    TAG_MODULE = 3,
    TAG_MEM_MAP = 6,
    TAG_FRAMEBUFFER = 8,
    TAG_EFI32 = 11,
    TAG_EFI64 = 12,
    TAG_RSDP_OLD = 14,
    TAG_RSDP_NEW = 15,
    TAG_EFI_MEM_MAP = 17,
};

struct tag {
    uint32_t type, bytes; /* the header included, the padding not */
};

struct info {
    uint32_t bytes, reserved;
};

struct tag_mem_map {
    struct tag tag;
    uint32_t entry_bytes, entry_version;
    char entries[]; /* struct boot_mem_range each, or longer ones that begin like it */
};

struct tag_framebuffer {
    struct tag tag;
    uint64_t phys;
    uint32_t pitch_bytes, width_pixels, height_pixels;
    uint8_t bits_per_pixel, type;
    uint16_t reserved;
    uint8_t red_shift, red_bits, green_shift, green_bits, blue_shift, blue_bits;
};
#define FRAMEBUFFER_RGB 1

struct tag_module {
    struct tag tag;
    uint32_t start_phys, end_phys;
};

static struct boot_handoff handoff = {
    .magic = BOOT_HANDOFF_MAGIC,
    .version = BOOT_HANDOFF_VERSION,
    .bytes = sizeof(handoff),
    .path = "multiboot2",
    .firmware = BOOT_FIRMWARE_BIOS,
};

static uint64_t phys_of(const void *low)
{
    return (uintptr_t)low;
}

static void take_cmdline(const struct tag *tag)
{
    const char *text = (const char *)(tag + 1);
    uint32_t bytes = 0;

    while (bytes < tag->bytes - sizeof(*tag) && text[bytes])
        bytes++;
    handoff.cmdline_phys = phys_of(text);
    handoff.cmdline_bytes = bytes;
}

/* Types that the specification does not name are "reserved" to it (3.6.8); GRUB has one for the
 * code of UEFI's runtime services. */
static void name_types(struct tag_mem_map *map, uint32_t entries)
{
    for (uint32_t i = 0; i < entries; i++) {
        struct boot_mem_range *range = (void *)(map->entries + (size_t)i * map->entry_bytes);

        if (range->type > BOOT_MEM_BAD)
            range->type = BOOT_MEM_RESERVED;
    }
}

static void take_mem_map(struct tag *tag)
{
    struct tag_mem_map *map = (struct tag_mem_map *)tag;

    if (tag->bytes < sizeof(*map) || map->entry_bytes < sizeof(struct boot_mem_range) ||
        map->entry_bytes % 8)
        return;
    handoff.mem_map_phys = phys_of(map->entries);
    handoff.mem_map_entries = (uint32_t)(tag->bytes - sizeof(*map)) / map->entry_bytes;
    handoff.mem_map_stride = map->entry_bytes;
    name_types(map, handoff.mem_map_entries);
}

static void take_framebuffer(const struct tag *tag)
{
    const struct tag_framebuffer *fb = (const struct tag_framebuffer *)tag;

    /* Not sizeof: the specified tag ends before the compiler's padding. */
    if (tag->bytes < offsetof(struct tag_framebuffer, blue_bits) + 1 || fb->type != FRAMEBUFFER_RGB)
        return;
    handoff.framebuffer = (struct boot_framebuffer){
        .phys = fb->phys,
        .pitch_bytes = fb->pitch_bytes,
        .width_pixels = fb->width_pixels,
        .height_pixels = fb->height_pixels,
        .bits_per_pixel = fb->bits_per_pixel,
        .red_shift = fb->red_shift,
        .green_shift = fb->green_shift,
        .blue_shift = fb->blue_shift,
    };
}

/* The first module is corestorm.cfg. It lies outside the information, in memory that is given out
 * only after it has been read. */
static void take_module(const struct tag *tag)
{
    const struct tag_module *module = (const struct tag_module *)tag;

    if (tag->bytes < sizeof(*module) || handoff.config_phys ||
        module->end_phys <= module->start_phys)
        return;
    handoff.config_phys = module->start_phys;
    handoff.config_bytes = module->end_phys - module->start_phys;
}

static void take_tag(struct tag *tag)
{
    switch (tag->type) {
    case TAG_CMDLINE:
        take_cmdline(tag);
        break;
    case TAG_MODULE:
        take_module(tag);
        break;
    case TAG_MEM_MAP:
        take_mem_map(tag);
        break;
    case TAG_FRAMEBUFFER:
        take_framebuffer(tag);
        break;
    case TAG_RSDP_NEW: /* a copy of the table pointer, in the tag itself */
        handoff.acpi_rsdp_phys = phys_of(tag + 1);
        break;
    case TAG_RSDP_OLD:
        if (!handoff.acpi_rsdp_phys)
            handoff.acpi_rsdp_phys = phys_of(tag + 1);
        break;
    case TAG_EFI32:
    case TAG_EFI64:
    case TAG_EFI_MEM_MAP:
        handoff.firmware = BOOT_FIRMWARE_UEFI;
        break;
    default: /* drives, symbols, …: nothing that is needed */
        break;
    }
}

const struct boot_handoff *multiboot2_handoff(uint32_t info_phys)
{
    struct info *info = (struct info *)(uintptr_t)info_phys;
    uint32_t at = sizeof(*info);

    if (!info_phys || info_phys % 8 || info->bytes < sizeof(*info) ||
        info->bytes > INFO_BYTES_MAX || info->bytes > UINT32_MAX - info_phys)
        return &handoff;
    handoff.loader_phys = info_phys;
    handoff.loader_bytes = info->bytes;
    while (info->bytes - at >= sizeof(struct tag)) {
        struct tag *tag = (struct tag *)((char *)info + at);

        if (tag->type == TAG_END || tag->bytes < sizeof(*tag) || tag->bytes > info->bytes - at)
            break;
        take_tag(tag);
        if (info->bytes - at <= ((tag->bytes + 7) & ~7u))
            break;
        at += (tag->bytes + 7) & ~7u;
    }
    return &handoff;
}
