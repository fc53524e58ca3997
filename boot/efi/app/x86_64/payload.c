/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The x86-64 kernel: a flat image with a header (boot/efi/x86_64/entry.asm), which runs at any 2
 * MiB boundary below 4 GiB and is entered in 32-bit mode without paging, like by the other boot
 * paths.
 */
#include "boot/efi/app/app.h"

#define HEADER_WITHIN_BYTES 4096u
#define HEADER_MAGIC "CorestormPayload"
#define HEADER_MAGIC_BYTES 16u
#define PLACE_ALIGN 0x200000ull
#define LEAVE_BYTES 4096u

struct payload_header {
    char magic[HEADER_MAGIC_BYTES];
    UINT32 start, end, entry, reserved; /* as linked; the memory up to `end` is zero where the file
                                           has ended */
};

/* UEFI 2.10, 37.7 and 7.2.3; GNU-EFI does not have them. */
#define MEMORY_READ_ONLY 0x20000ull
#define EFI_MEMORY_ATTRIBUTE_PROTOCOL_GUID                                                         \
    {                                                                                              \
        0xf4560cf6, 0x40ec, 0x4b4a,                                                                \
        {                                                                                          \
            0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89                                         \
        }                                                                                          \
    }
struct memory_attribute_protocol {
    void *get, *set;
    EFI_STATUS(EFIAPI *clear)
    (struct memory_attribute_protocol *this, EFI_PHYSICAL_ADDRESS base, UINT64 bytes, UINT64 what);
};

/* leave.asm */
typedef void leave_fn(UINT32 info, UINT32 entry, UINT32 shift);

extern const char payload_start[], payload_end[];
extern const char leave_start[], leave_end[];

static const struct payload_header *header;
static EFI_PHYSICAL_ADDRESS place, leave_page;

static const struct payload_header *find_header(void)
{
    UINTN bytes = (UINTN)(payload_end - payload_start);

    for (UINTN at = 0; at + sizeof(*header) <= bytes && at < HEADER_WITHIN_BYTES; at += 8)
        if (!CompareMem(payload_start + at, HEADER_MAGIC, HEADER_MAGIC_BYTES))
            return (const struct payload_header *)(payload_start + at);
    return NULL;
}

static UINTN memory_bytes(void)
{
    return header->end - header->start;
}

/* Where it is linked if that is free, so that a machine has it at one place by every boot path;
 * else anywhere. */
static EFI_STATUS allocate_place(void)
{
    UINTN pages = EFI_SIZE_TO_PAGES(memory_bytes());
    EFI_STATUS status;

    place = header->start;
    status = BS->AllocatePages(AllocateAddress, EfiLoaderData, pages, &place);
    if (!EFI_ERROR(status))
        return status;
    place = PAYLOAD_MEMORY_LIMIT - 1;
    status = BS->AllocatePages(AllocateMaxAddress, EfiLoaderData,
                               pages + EFI_SIZE_TO_PAGES(PLACE_ALIGN), &place);
    place = (place + PLACE_ALIGN - 1) & ~(PLACE_ALIGN - 1);
    return status;
}

/* A page that can be executed: where firmware maps pages without that right, it is asked for it. */
static EFI_STATUS allocate_leave_page(void)
{
    static EFI_GUID guid = EFI_MEMORY_ATTRIBUTE_PROTOCOL_GUID;
    struct memory_attribute_protocol *attributes;
    EFI_STATUS status;

    leave_page = PAYLOAD_MEMORY_LIMIT - 1;
    status = BS->AllocatePages(AllocateMaxAddress, EfiLoaderCode, 1, &leave_page);
    if (EFI_ERROR(status))
        return status;
    if (!EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&attributes)))
        (void)attributes->clear(attributes, leave_page, LEAVE_BYTES,
                                EFI_MEMORY_XP | EFI_MEMORY_RP | MEMORY_READ_ONLY);
    CopyMem((void *)(UINTN)leave_page, (void *)leave_start, (UINTN)(leave_end - leave_start));
    return status;
}

EFI_STATUS payload_place(void)
{
    UINTN bytes = (UINTN)(payload_end - payload_start);
    EFI_STATUS status;

    header = find_header();
    if (!header || header->end < header->start || memory_bytes() < bytes ||
        header->entry < header->start || header->entry >= header->end)
        return app_fail(EFI_LOAD_ERROR, L"the kernel inside is damaged");
    status = allocate_place();
    if (EFI_ERROR(status))
        return app_fail(status, L"no memory below 4 GiB for the kernel");
    status = allocate_leave_page();
    if (EFI_ERROR(status))
        return app_fail(status, L"no page below 4 GiB");
    CopyMem((void *)(UINTN)place, (void *)payload_start, bytes);
    ZeroMem((void *)(UINTN)(place + bytes), memory_bytes() - bytes);
    return EFI_SUCCESS;
}

UINT64 payload_block_limit(void)
{
    return PAYLOAD_MEMORY_LIMIT;
}

/* Intel SDM volume 2, CLFLUSH: lines of 8 times CPUID.01H:EBX[15:8] bytes. */
void payload_write_back(UINT64 base, UINT64 bytes)
{
    UINT32 eax = 1, ebx, ecx = 0, edx;
    UINT64 line;

    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    line = 8ull * (ebx >> 8 & 0xff);
    if (!line)
        return;
    for (UINT64 at = base & ~(line - 1); at < base + bytes; at += line)
        __asm__ volatile("clflush (%0)" : : "r"((UINTN)at) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

void payload_enter(const struct efi_info *info)
{
    leave_fn *leave = (leave_fn *)(UINTN)leave_page;
    UINT32 shift = (UINT32)place - header->start;

    leave((UINT32)(UINTN)info, header->entry + shift, shift);
    __builtin_unreachable();
}
