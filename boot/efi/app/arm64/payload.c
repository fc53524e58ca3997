/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arm64 kernel: the Image that other loaders start too (boot/image_arm64/header.S), at any 2
 * MiB boundary, with the MMU off. What is read with the caches off must be in memory by then, so
 * the caches are cleaned of it (docs.kernel.org, arch/arm64/booting).
 */
#include "boot/efi/app/app.h"

#include "boot/early.h"

#define IMAGE_BYTES_AT 16u
#define IMAGE_MAGIC_AT 56u
#define IMAGE_MAGIC "ARM\x64"
#define PLACE_ALIGN 0x200000ull
#define CTR_LINE_SHIFT 16u /* CTR_EL0.DminLine: log2 of the words in the smallest line */

extern const char payload_start[], payload_end[];
extern const char leave_start[], leave_end[]; /* leave.S */
_Noreturn void leave(UINT64 info, UINT64 magic, UINT64 entry);

static EFI_PHYSICAL_ADDRESS place;
static UINT64 memory_bytes; /* behind the payload's they are zero */

EFI_STATUS payload_place(void)
{
    UINTN bytes = (UINTN)(payload_end - payload_start);
    EFI_STATUS status;

    CopyMem(&memory_bytes, payload_start + IMAGE_BYTES_AT, sizeof(memory_bytes));
    if (CompareMem(payload_start + IMAGE_MAGIC_AT, IMAGE_MAGIC, 4) || memory_bytes < bytes)
        return app_fail(EFI_LOAD_ERROR, L"the kernel inside is damaged");
    status = BS->AllocatePages(AllocateAnyPages, EfiLoaderData,
                               EFI_SIZE_TO_PAGES(memory_bytes + PLACE_ALIGN), &place);
    if (EFI_ERROR(status))
        return app_fail(status, L"no memory for the kernel");
    place = (place + PLACE_ALIGN - 1) & ~(PLACE_ALIGN - 1);
    CopyMem((void *)place, (void *)payload_start, bytes);
    ZeroMem((void *)(place + bytes), memory_bytes - bytes);
    return EFI_SUCCESS;
}

UINT64 payload_block_limit(void)
{
    return 0;
}

void payload_write_back(UINT64 base, UINT64 bytes)
{
    UINT64 ctr, line, end = base + bytes;

    __asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
    line = 4ull << (ctr >> CTR_LINE_SHIFT & 0xf);
    for (UINT64 at = base & ~(line - 1); at < end; at += line)
        __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb sy" : : : "memory");
}

void payload_enter(const struct efi_info *info)
{
    payload_write_back(place, memory_bytes);
    payload_write_back(info->handoff.loader_phys, info->handoff.loader_bytes);
    payload_write_back((UINTN)leave_start, (UINTN)(leave_end - leave_start));
    leave((UINTN)info, BOOT_EARLY_IS_EFI, place);
}
