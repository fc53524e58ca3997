/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An end to a machine that nobody watches and that resets itself in every run: files on the medium
 * count the runs in a row that did not come to their end, or whose reports were lost. See rescue.h.
 */
#include "boot/efi/app/rescue.h"

#define ANSWER_SECONDS 60u
#define POLL_US 100000u
#define POLLS (ANSWER_SECONDS * 1000000u / POLL_US)

EFI_STATUS rescue_count_end(EFI_FILE_HANDLE folder, bool came_to_its_end)
{
    unsigned before = rescue_marked(folder, RESCUE_UNFINISHED);

    if (came_to_its_end)
        return rescue_mark(folder, RESCUE_UNFINISHED, 0);
    return rescue_mark(folder, RESCUE_UNFINISHED,
                       before < RESCUE_UNFINISHED_MAX ? before + 1 : RESCUE_UNFINISHED_MAX);
}

/* A certain key, since lines without anybody at their end make others up. */
static bool person_says_start(void)
{
    SIMPLE_INPUT_INTERFACE *keyboard = ST->ConIn;

    if (keyboard)
        keyboard->Reset(keyboard, FALSE);
    for (unsigned i = 0; i < POLLS; i++) {
        EFI_INPUT_KEY key;

        BS->Stall(POLL_US);
        if (keyboard && !EFI_ERROR(keyboard->ReadKeyStroke(keyboard, &key)) &&
            (key.UnicodeChar == 's' || key.UnicodeChar == 'S'))
            return true;
    }
    return false;
}

static EFI_STATUS forget(EFI_FILE_HANDLE folder)
{
    EFI_STATUS status = rescue_mark(folder, RESCUE_UNFINISHED, 0);

    return EFI_ERROR(status) ? status : rescue_mark(folder, RESCUE_RUNNING, 0);
}

bool rescue_may_start(EFI_FILE_HANDLE folder)
{
    bool unfinished = rescue_marked(folder, RESCUE_UNFINISHED) >= RESCUE_UNFINISHED_MAX;
    bool lost = rescue_marked(folder, RESCUE_RUNNING) >= RESCUE_LOST_MAX;
    EFI_STATUS status;

    if (!unfinished && !lost)
        return true;
    Print(L"corestorm: no run is started: the last %d %s.\n"
          L"  To start again: press s now, or delete \\corestorm\\%s, or say save=off.\n"
          L"  The machine is switched off in %d seconds.\n",
          unfinished ? RESCUE_UNFINISHED_MAX : RESCUE_LOST_MAX,
          unfinished ? L"did not come to their end" : L"could not be saved",
          unfinished ? RESCUE_UNFINISHED : RESCUE_RUNNING, ANSWER_SECONDS);
    if (!person_says_start())
        return false;
    status = forget(folder);
    if (EFI_ERROR(status))
        Print(L"corestorm: the count cannot be cleared: %r\n", status);
    return true;
}
