/* SPDX-License-Identifier: Apache-2.0 */
/* The order of things between firmware and the kernel (app.h). */
#include "boot/efi/app/app.h"
#include "boot/efi/app/rescue.h"

#define FAIL_SHOWN_US 10000000u

static char notes[EFI_INFO_NOTE_BYTES];
static UINTN notes_used;

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

EFI_STATUS app_fail(EFI_STATUS status, const CHAR16 *what)
{
    Print(L"corestorm: cannot start: %s (%r)\n", what, status);
    BS->Stall(FAIL_SHOWN_US);
    return status;
}

void app_note(const char *text)
{
    if (notes_used && notes_used + 3 < EFI_INFO_NOTE_BYTES) {
        notes[notes_used++] = ';';
        notes[notes_used++] = ' ';
    }
    while (*text && notes_used + 1 < EFI_INFO_NOTE_BYTES)
        notes[notes_used++] = *text++;
    notes[notes_used] = 0;
}

static EFI_STATUS start(EFI_HANDLE image, const EFI_LOADED_IMAGE *loaded)
{
    struct map_space space;
    struct efi_info *info;
    struct app_text options, config;
    EFI_STATUS status = payload_place();

    if (EFI_ERROR(status))
        return status;
    options = options_read(loaded);
    config = config_read(loaded);
    if (!rescue_prepare(loaded, options, config)) {
        rescue_switch_off();
        return EFI_ABORTED;
    }
    status = block_make(options, config, &info, &space);
    if (EFI_ERROR(status)) {
        rescue_cancel(loaded);
        return status;
    }
    tables_find(info);
    screen_find(&info->handoff.framebuffer);
    rescue_hand_over(&info->handoff);
    CopyMem(info->note, notes, sizeof(info->note));
    status = map_exit(image, &space, &info->handoff);
    if (EFI_ERROR(status)) {
        app_fail(status, L"firmware does not let go");
        rescue_cancel(loaded);
        return status;
    }
    payload_enter(info);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_LOADED_IMAGE *loaded;
    EFI_STATUS status;
    bool finished;

    InitializeLib(image, system);
    /* Firmware resets the machine 5 minutes after it has started a boot option (3.1.2); a program
     * that leaves boot services is safe from that, one that waits before is not. */
    BS->SetWatchdogTimer(0, 0, 0, NULL);
    status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&loaded);
    if (EFI_ERROR(status))
        return app_fail(status, L"firmware does not say where it was loaded from");
    status = rescue_save(loaded, &finished);
    if (finished)
        rescue_switch_off();
    if (finished || EFI_ERROR(status))
        return status;
    Print(L"Corestorm: starting the kernel\n");
    return start(image, loaded);
}
