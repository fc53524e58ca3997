/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GetMemoryMap and ExitBootServices in other words: usable memory in many pieces of all the types
 * that are usable afterwards, in no order, with longer descriptors; and a map that changes while
 * boot services are left. The sum of
 * usable memory stays what it was, or is what lies above 4 GiB.
 */
#include "tests/efi_chaos/chaos.h"

#define RAW_BYTES (1u << 20)
#define JUNK 0xa5
#define FOUR_GIB 0x100000000ull
#define LOW_END 0x100000ull
#define LOW_PAGE 0x5000ull

static EFI_GET_MEMORY_MAP get_map;
static EFI_EXIT_BOOT_SERVICES exit_services;
static EFI_SET_WATCHDOG_TIMER set_watchdog;
static bool watchdog_is_off;
static char *raw;
static UINTN wanted, longer, changes, grow;
static UINT32 draw = 1;

static UINT32 random_below(UINT32 limit)
{
    draw ^= draw << 13;
    draw ^= draw >> 17;
    draw ^= draw << 5;
    return draw % limit;
}

static EFI_MEMORY_DESCRIPTOR *at(void *map, UINTN stride, UINTN i)
{
    return (EFI_MEMORY_DESCRIPTOR *)((char *)map + i * stride);
}

/* How many pieces region `from` becomes, when `more` entries are wanted still. */
static UINTN pieces_of(const EFI_MEMORY_DESCRIPTOR *from, UINTN more)
{
    if (from->Type != EfiConventionalMemory || !from->NumberOfPages)
        return 1;
    return from->NumberOfPages < more + 1 ? (UINTN)from->NumberOfPages : more + 1;
}

static UINTN count_out(UINTN count, UINTN stride)
{
    UINTN out = count;

    for (UINTN i = 0; i < count && out < wanted; i++)
        out += pieces_of(at(raw, stride, i), wanted - out) - 1;
    return out;
}

/* Of the memory below 1 MiB one page. */
static EFI_MEMORY_DESCRIPTOR low_page(EFI_MEMORY_DESCRIPTOR of)
{
    UINT64 end = of.PhysicalStart + (of.NumberOfPages << EFI_PAGE_SHIFT);

    if (!chaos_wants("onelow") || of.PhysicalStart >= LOW_END)
        return of;
    if (of.Type == EfiConventionalMemory && of.PhysicalStart <= LOW_PAGE && end > LOW_PAGE) {
        of.PhysicalStart = LOW_PAGE;
        of.NumberOfPages = 1;
    } else {
        of.Type = EfiReservedMemoryType;
    }
    return of;
}

/* What of a region lies above 4 GiB, where the test wants nothing else. */
static EFI_MEMORY_DESCRIPTOR high_part(EFI_MEMORY_DESCRIPTOR of)
{
    UINT64 end = of.PhysicalStart + (of.NumberOfPages << EFI_PAGE_SHIFT);

    if (!chaos_wants("high") || of.PhysicalStart >= FOUR_GIB)
        return of;
    if (end <= FOUR_GIB) {
        of.Type = EfiReservedMemoryType;
        return of;
    }
    of.PhysicalStart = FOUR_GIB;
    of.NumberOfPages = (end - FOUR_GIB) >> EFI_PAGE_SHIFT;
    return of;
}

static void write_out(void *map, UINTN out_stride, UINTN count, UINTN stride)
{
    static const UINT32 types[] = {EfiConventionalMemory, EfiBootServicesData, EfiLoaderCode,
                                   EfiBootServicesCode, EfiLoaderData};
    UINTN out = count, n = 0;

    for (UINTN i = 0; i < count; i++) {
        EFI_MEMORY_DESCRIPTOR piece = low_page(high_part(*at(raw, stride, i)));
        UINTN pieces = out < wanted ? pieces_of(&piece, wanted - out) : 1;
        UINT64 pages = piece.NumberOfPages;

        out += pieces - 1;
        for (UINTN p = 0; p < pieces; p++) {
            piece.NumberOfPages = p + 1 < pieces ? 1 : pages - (pieces - 1);
            if (pieces > 1)
                piece.Type = types[p % 5];
            SetMem(at(map, out_stride, n), out_stride, JUNK);
            *at(map, out_stride, n++) = piece;
            piece.PhysicalStart += EFI_PAGE_SIZE;
        }
    }
}

static void shuffle(void *map, UINTN stride, UINTN count)
{
    for (UINTN i = count; i > 1; i--) {
        UINTN other = random_below((UINT32)i);
        EFI_MEMORY_DESCRIPTOR swap = *at(map, stride, other);

        *at(map, stride, other) = *at(map, stride, i - 1);
        *at(map, stride, i - 1) = swap;
    }
}

static EFI_STATUS EFIAPI odd_get_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                     UINTN *stride, UINT32 *version)
{
    UINTN raw_bytes = RAW_BYTES, raw_stride, count, needed;
    EFI_STATUS status =
        get_map(&raw_bytes, (EFI_MEMORY_DESCRIPTOR *)raw, key, &raw_stride, version);

    if (EFI_ERROR(status))
        return status;
    count = raw_bytes / raw_stride;
    *stride = raw_stride + longer;
    needed = count_out(count, raw_stride) * *stride;
    if (!map || *bytes < needed) {
        *bytes = needed;
        return EFI_BUFFER_TOO_SMALL;
    }
    write_out(map, *stride, count, raw_stride);
    if (wanted)
        shuffle(map, *stride, needed / *stride);
    *bytes = needed;
    return status;
}

/* Firmware's watchdog runs for 5 minutes; nobody may leave boot services with it on, since what he
 * has read before may have taken long. */
static EFI_STATUS EFIAPI odd_set_watchdog(UINTN seconds, UINT64 code, UINTN bytes, CHAR16 *data)
{
    watchdog_is_off = seconds == 0;
    return set_watchdog(seconds, code, bytes, data);
}

/* An allocation between the map and its use, as an event's handler makes it. */
static EFI_STATUS EFIAPI odd_exit(EFI_HANDLE image, UINTN key)
{
    EFI_PHYSICAL_ADDRESS page;

    if (!watchdog_is_off)
        return chaos_fail(EFI_TIMEOUT, L"the watchdog is on");
    if (changes) {
        changes--;
        wanted += grow;
        if (EFI_ERROR(BS->AllocatePages(AllocateAnyPages, EfiBootServicesData, 1, &page)))
            return EFI_OUT_OF_RESOURCES;
    }
    return exit_services(image, key);
}

EFI_STATUS chaos_hook_map(void)
{
    wanted = chaos_number("map=");
    longer = chaos_number("stride=");
    changes = chaos_number("key=");
    grow = chaos_number("grow=");
    raw = AllocatePool(RAW_BYTES);
    if (!raw)
        return chaos_fail(EFI_OUT_OF_RESOURCES, L"no memory");
    get_map = BS->GetMemoryMap;
    exit_services = BS->ExitBootServices;
    set_watchdog = BS->SetWatchdogTimer;
    BS->SetWatchdogTimer = (EFI_SET_WATCHDOG_TIMER)odd_set_watchdog;
    BS->GetMemoryMap = (EFI_GET_MEMORY_MAP)odd_get_map;
    BS->ExitBootServices = (EFI_EXIT_BOOT_SERVICES)odd_exit;
    BS->Hdr.CRC32 = 0;
    return BS->CalculateCrc32(BS, BS->Hdr.HeaderSize, &BS->Hdr.CRC32);
}
