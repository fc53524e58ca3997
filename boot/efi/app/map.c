/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map, and leaving boot services with it.
 *
 * ExitBootServices wants the key of the newest map (7.4.6). What firmware does while it shuts down
 * may change the map: then it is read again into the same memory, since nothing may be allocated
 * any more. So the space has room to spare: as much again as the map needs, and 64 descriptors.
 */
#include "boot/efi/app/app.h"

#define EXIT_TRIES 16u
#define SPARE_DESCRIPTORS 64u
#define PAGE_SHIFT 12u
/* UEFI 2.10, 7.2.3; GNU-EFI knows neither. */
#define MEMORY_SPECIFIC_PURPOSE 0x40000ull

EFI_STATUS map_room(UINTN *bytes)
{
    UINTN needed = 0, key, stride = 0;
    UINT32 version;
    EFI_STATUS status = BS->GetMemoryMap(&needed, NULL, &key, &stride, &version);

    if (status != EFI_BUFFER_TOO_SMALL || !needed)
        return EFI_ERROR(status) ? status : EFI_UNSUPPORTED;
    *bytes = 2 * needed + SPARE_DESCRIPTORS * (stride ? stride : sizeof(EFI_MEMORY_DESCRIPTOR));
    return EFI_SUCCESS;
}

static UINT32 range_type(const EFI_MEMORY_DESCRIPTOR *from)
{
    switch (from->Type) {
    case EfiLoaderCode:
    case EfiLoaderData:
    case EfiBootServicesCode:
    case EfiBootServicesData:
    case EfiConventionalMemory:
        return from->Attribute & EFI_MEMORY_WB && !(from->Attribute & MEMORY_SPECIFIC_PURPOSE)
                   ? BOOT_MEM_USABLE
                   : BOOT_MEM_RESERVED;
    case EfiACPIReclaimMemory:
        return BOOT_MEM_ACPI;
    case EfiACPIMemoryNVS:
        return BOOT_MEM_NVS;
    case EfiUnusableMemory:
        return BOOT_MEM_BAD;
    default:
        return BOOT_MEM_RESERVED;
    }
}

/* Memory that caches may read: firmware has it mapped so itself. */
static bool is_cacheable(const EFI_MEMORY_DESCRIPTOR *from)
{
    switch (from->Type) {
    case EfiReservedMemoryType:
    case EfiUnusableMemory:
    case EfiMemoryMappedIO:
    case EfiMemoryMappedIOPortSpace:
        return false;
    default:
        return from->Type < EfiMaxMemoryType && from->Attribute & EFI_MEMORY_WB;
    }
}

static struct boot_mem_range range_of(const EFI_MEMORY_DESCRIPTOR *from)
{
    UINT64 pages_max = (~0ull - from->PhysicalStart) >> PAGE_SHIFT;
    bool wraps = from->NumberOfPages > pages_max;

    return (struct boot_mem_range){
        .base = from->PhysicalStart,
        .bytes = (wraps ? pages_max : from->NumberOfPages) << PAGE_SHIFT,
        .type = wraps ? BOOT_MEM_RESERVED : range_type(from),
        .reserved = !wraps && is_cacheable(from) ? EFI_RANGE_CACHEABLE : 0,
    };
}

/* Firmware's maps are nearly in order, if not quite. */
static void sort_in(struct boot_mem_range *map, UINT32 count, struct boot_mem_range range)
{
    UINT32 i = count;

    for (; i && map[i - 1].base > range.base; i--)
        map[i] = map[i - 1];
    map[i] = range;
}

/* In place: a range is shorter than a descriptor, so what is written has been read. */
UINT32 map_convert(void *map, UINTN bytes, UINTN stride)
{
    UINT32 count = 0;

    for (UINTN at = 0; bytes - at >= sizeof(EFI_MEMORY_DESCRIPTOR); at += stride) {
        EFI_MEMORY_DESCRIPTOR descriptor;

        CopyMem(&descriptor, (const char *)map + at, sizeof(descriptor));
        sort_in(map, count++, range_of(&descriptor));
        if (bytes - at < stride)
            break;
    }
    return count;
}

EFI_STATUS map_exit(EFI_HANDLE image, const struct map_space *space, struct boot_handoff *handoff)
{
    EFI_STATUS status = EFI_ABORTED;

    for (unsigned i = 0; i < EXIT_TRIES; i++) {
        UINTN bytes = space->room, key, stride;
        UINT32 version;

        status = BS->GetMemoryMap(&bytes, space->at, &key, &stride, &version);
        if (EFI_ERROR(status))
            return status;
        if (stride < sizeof(EFI_MEMORY_DESCRIPTOR))
            return EFI_INCOMPATIBLE_VERSION;
        status = BS->ExitBootServices(image, key);
        if (!EFI_ERROR(status)) {
            handoff->mem_map_entries = map_convert(space->at, bytes, stride);
            handoff->mem_map_stride = sizeof(struct boot_mem_range);
            return status;
        }
        if (status != EFI_INVALID_PARAMETER)
            break;
    }
    return status;
}
