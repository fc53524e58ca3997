/* SPDX-License-Identifier: Apache-2.0 */
/* The block that the kernel is given (boot/efi/info.h): one allocation, each piece on 16 bytes. */
#include "boot/efi/app/app.h"

#define PIECE_ALIGN 16u

struct pieces {
    UINTN options, config, tree, map, end;
};

static UINTN aligned(UINTN bytes)
{
    return (bytes + PIECE_ALIGN - 1) & ~(UINTN)(PIECE_ALIGN - 1);
}

static EFI_STATUS allocate(UINTN bytes, EFI_PHYSICAL_ADDRESS *at)
{
    UINT64 limit = payload_block_limit();

    *at = limit - 1;
    return BS->AllocatePages(limit ? AllocateMaxAddress : AllocateAnyPages, EfiLoaderData,
                             EFI_SIZE_TO_PAGES(bytes), at);
}

static void fill_in(struct efi_info *info, const struct pieces *at, struct app_text options,
                    struct app_text config)
{
    char *base = (char *)info;
    struct boot_handoff *handoff = &info->handoff;

    info->magic = EFI_INFO_MAGIC;
    handoff->magic = BOOT_HANDOFF_MAGIC;
    handoff->version = BOOT_HANDOFF_VERSION;
    handoff->bytes = sizeof(*handoff);
    handoff->firmware = BOOT_FIRMWARE_UEFI;
    CopyMem(base + at->options, options.text, options.bytes);
    CopyMem(base + at->config, config.text, config.bytes);
    handoff->cmdline_phys = options.bytes ? (UINTN)base + at->options : 0;
    handoff->cmdline_bytes = (uint32_t)options.bytes;
    handoff->config_phys = config.bytes ? (UINTN)base + at->config : 0;
    handoff->config_bytes = (uint32_t)config.bytes;
    handoff->mem_map_phys = (UINTN)base + at->map;
    handoff->loader_phys = (UINTN)base;
    handoff->loader_bytes = at->end;
}

EFI_STATUS block_make(struct app_text options, struct app_text config, struct efi_info **info,
                      struct map_space *space)
{
    EFI_PHYSICAL_ADDRESS base;
    struct pieces at;
    UINTN tree_bytes;
    const void *tree = tables_device_tree(&tree_bytes);
    EFI_STATUS status = map_room(&space->room);

    if (EFI_ERROR(status))
        return app_fail(status, L"firmware gives no memory map");
    at.options = aligned(sizeof(**info));
    at.config = aligned(at.options + options.bytes);
    at.tree = aligned(at.config + config.bytes);
    at.map = aligned(at.tree + tree_bytes);
    at.end = at.map + space->room;
    status = allocate(at.end, &base);
    if (EFI_ERROR(status))
        return app_fail(status, L"no memory for the memory map");
    *info = (struct efi_info *)(UINTN)base;
    ZeroMem(*info, at.end);
    fill_in(*info, &at, options, config);
    if (tree) {
        CopyMem((char *)*info + at.tree, tree, tree_bytes);
        (*info)->handoff.device_tree_phys = (UINTN)*info + at.tree;
    }
    space->at = (char *)*info + at.map;
    return EFI_SUCCESS;
}
