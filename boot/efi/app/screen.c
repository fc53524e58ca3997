/* SPDX-License-Identifier: Apache-2.0 */
/* The framebuffer, by the Graphics Output Protocol (12.9): the first display that has one in
 * memory. Displays that are drawn on by firmware only (PixelBltOnly) are of no use later. */
#include "boot/efi/app/app.h"

#define BYTES_A_PIXEL 4u

static uint8_t lowest_bit(UINT32 mask)
{
    return mask ? (uint8_t)__builtin_ctz(mask) : 0;
}

/* As many of the mode's lines as firmware says that there is memory for. */
static UINT32 lines_of(const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode, UINT64 pitch_bytes)
{
    UINT32 lines = mode->Info->VerticalResolution;

    if (!pitch_bytes || mode->FrameBufferSize / pitch_bytes >= lines)
        return lines;
    app_note("the framebuffer is smaller than the display mode; the lines below it are not used");
    return (UINT32)(mode->FrameBufferSize / pitch_bytes);
}

static bool take(const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode, struct boot_framebuffer *out)
{
    const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = mode ? mode->Info : NULL;
    EFI_PIXEL_BITMASK masks;

    if (!info || !mode->FrameBufferBase)
        return false;
    switch (info->PixelFormat) {
    case PixelRedGreenBlueReserved8BitPerColor:
        masks = (EFI_PIXEL_BITMASK){0xff, 0xff00, 0xff0000, 0};
        break;
    case PixelBlueGreenRedReserved8BitPerColor:
        masks = (EFI_PIXEL_BITMASK){0xff0000, 0xff00, 0xff, 0};
        break;
    case PixelBitMask:
        masks = info->PixelInformation;
        break;
    default:
        return false;
    }
    /* A mask may be of fewer bits; those of 32 bits are all that there is on machines. */
    if ((masks.RedMask | masks.GreenMask | masks.BlueMask | masks.ReservedMask) >> 16 == 0)
        return false;
    *out = (struct boot_framebuffer){
        .phys = mode->FrameBufferBase,
        .pitch_bytes = info->PixelsPerScanLine * BYTES_A_PIXEL,
        .width_pixels = info->HorizontalResolution,
        .height_pixels = lines_of(mode, (UINT64)info->PixelsPerScanLine * BYTES_A_PIXEL),
        .bits_per_pixel = 8 * BYTES_A_PIXEL,
        .red_shift = lowest_bit(masks.RedMask),
        .green_shift = lowest_bit(masks.GreenMask),
        .blue_shift = lowest_bit(masks.BlueMask),
    };
    return true;
}

void screen_find(struct boot_framebuffer *out)
{
    EFI_HANDLE *handles;
    UINTN count;
    bool found = false;

    if (EFI_ERROR(
            BS->LocateHandleBuffer(ByProtocol, &GraphicsOutputProtocol, NULL, &count, &handles)))
        return;
    for (UINTN i = 0; i < count && !found; i++) {
        EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;

        if (!EFI_ERROR(BS->HandleProtocol(handles[i], &GraphicsOutputProtocol, (void **)&gop)))
            found = take(gop->Mode, out);
    }
    BS->FreePool(handles);
}
